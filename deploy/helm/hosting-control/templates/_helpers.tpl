{{/* What identifies the pods of a component: pass `root` and `component`. */}}
{{- define "hosting.selector" -}}
app.kubernetes.io/name: hosting-control
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "hosting.labels" -}}
{{ include "hosting.selector" . }}
app.kubernetes.io/part-of: hosting-control
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* `metadata` of a resource: pass `root`, `component` and the `suffix` of the name. */}}
{{- define "hosting.metadata" -}}
name: {{ .root.Release.Name }}-{{ .suffix | default .component }}
labels:
  {{- include "hosting.labels" . | nindent 2 }}
{{- end }}

{{- define "hosting.tag" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A value as text, empty for null. Helm reads numbers as floats, which `toString` writes as 2.592e+06 from a million on. */}}
{{- define "hosting.text" -}}
{{- if kindIs "invalid" . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) }}
{{- int64 . }}
{{- else }}
{{- toString . }}
{{- end }}
{{- end }}

{{/* Settings that are not empty, as the data of a ConfigMap. */}}
{{- define "hosting.settings" -}}
{{- range $name, $value := . }}
{{- with include "hosting.text" $value }}
{{ $name }}: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "hosting.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "hosting.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Where alerts and dashboard find the runbook. */}}
{{- define "hosting.runbook" -}}
{{ .Values.monitoring.runbookUrl | default (printf "http://%s-internal.%s.svc:9090/docs/operations" .Release.Name .Release.Namespace) }}
{{- end }}

{{/*
The entries of a setting such as OWN_NETWORKS as a JSON array. A single address becomes a network, because Kubernetes
accepts no other form.
*/}}
{{- define "hosting.networks" -}}
{{- $networks := list }}
{{- range splitList "," (include "hosting.text" .) }}
{{- with trim . }}
{{- $suffix := ternary "" (ternary "/128" "/32" (contains ":" .)) (contains "/" .) }}
{{- $networks = append $networks (print . $suffix) }}
{{- end }}
{{- end }}
{{- toJson $networks }}
{{- end }}

{{/*
Where webhooks and issuers can be, as peers of a NetworkPolicy: all addresses but private ones and OWN_NETWORKS, and
WEBHOOK_ALLOWED_NETWORKS. The service itself refuses addresses of OWN_NETWORKS within the latter.
*/}}
{{- define "hosting.publicAddresses" -}}
{{- $shared := .Values.settings.shared }}
{{- $own := include "hosting.networks" $shared.OWN_NETWORKS | fromJsonArray }}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      {{- range list "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "169.254.0.0/16" "172.16.0.0/12" "192.168.0.0/16" }}
      - {{ . }}
      {{- end }}
      {{- range $own }}{{ if not (contains ":" .) }}
      - {{ . | quote }}
      {{- end }}{{ end }}
- ipBlock:
    cidr: '::/0'
    except:
      {{- range list "::1/128" "fc00::/7" "fe80::/10" }}
      - {{ . | quote }}
      {{- end }}
      {{- range $own }}{{ if contains ":" . }}
      - {{ . | quote }}
      {{- end }}{{ end }}
{{- range include "hosting.networks" $shared.WEBHOOK_ALLOWED_NETWORKS | fromJsonArray }}
{{- if not (has . $own) }}
- ipBlock:
    cidr: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
