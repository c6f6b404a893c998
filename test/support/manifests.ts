import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { root } from '../../tools/run.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of any kind
export type Manifest = any

/** The documents of a file of the Kubernetes example. */
export const readManifests = (file: string): Manifest[] => {
  const text = readFileSync(`${root}deploy/kubernetes/${file}`, 'utf8')
  return parseAllDocuments(text).map((document) => document.toJSON())
}

export const [kustomization] = readManifests('kustomization.yaml')

/** What the kustomization applies. */
export const manifests: Manifest[] = kustomization.resources.flatMap(readManifests)
