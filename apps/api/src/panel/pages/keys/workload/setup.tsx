import { publicUrlOf } from '@hosting/core/configuration'
import { notFound, validationFailed } from '@hosting/core/problems'
import { getKeyRoute } from '../../../../api/routes/api-keys.ts'
import { tryIdentityToken } from '../../../../api/for-pages.ts'
import { page } from '../../../page.ts'
import { CopyButton, Copyable } from '../../../view/copyable.tsx'
import { TextArea } from '../../../view/fields.tsx'
import { Form, Submit } from '../../../view/form.tsx'
import { Card, DescriptionList, LinkButton, PageHeader } from '../../../view/components.tsx'
import { keyCrumbs } from '../key-header.tsx'
import { snippetsFor, type Snippet, type WorkloadKeyRecord } from './snippets.ts'
import { fromFlashText, toFlashText, Trial } from './trial.tsx'

/** How a job uses a workload key, and a trial of an identity token. */
export const workloadPage = page({
  path: '/keys/:id/workload',
  access: 'apikeys.read',
  async show({ call, params, services, flashSecret }) {
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    if (!isWorkloadKey(key)) throw notFound()
    const { conditions } = key.workload
    const trial = flashSecret === undefined ? undefined : fromFlashText(flashSecret, conditions)
    const { command } = services.brand
    const address = { publicUrl: publicUrlOf(services.config), command }
    return {
      title: `Use ${key.name} in a job`,
      body: (
        <>
          <PageHeader
            title="Use in a job"
            crumbs={keyCrumbs(key)}
            actions={<LinkButton to="/docs/ci">Guide</LinkButton>}
          >
            A job exchanges its identity token for a token of the key.
          </PageHeader>
          <Card title="Workload">
            <DescriptionList
              items={[
                ['Issuer', <code>{key.workload.issuer}</code>],
                [
                  'Audience',
                  <Copyable id="audience" text={key.workload.audience} name="audience" />,
                ],
              ]}
            />
          </Card>
          <Card title="Code for the job">
            <Snippets snippets={snippetsFor(key, address)} />
          </Card>
          <Card
            title="Try an identity token"
            hint="Checks a token as an exchange does, without exchanging it. The token is not stored."
          >
            <div class="stack">
              {trial && <Trial trial={trial} />}
              <Form action="try">
                <TextArea
                  name="identity_token"
                  label="Identity token"
                  hint="A JWT: three parts with dots between. Its audience must be the one above."
                  variant="mono"
                  spellcheck={false}
                />
                <div class="buttons">
                  <Submit variant="">Try token</Submit>
                </div>
              </Form>
            </div>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async try({ call, params, form, services }) {
      const { key } = await call(getKeyRoute, { params: { id: params.id } })
      const token = form.text('identity_token')
      const trial = token && (await tryIdentityToken(services, key.id, token))
      if (!trial) {
        const message = 'must be a JWT: three parts of letters, digits, - and _, with dots between.'
        throw validationFailed({ pointer: '/identity_token', message })
      }
      const text = toFlashText(trial)
      return { to: `/keys/${key.id}/workload`, flashSecret: { text, seconds: 60 } }
    },
  },
})

const isWorkloadKey = (key: { workload: object | null }): key is WorkloadKeyRecord =>
  key.workload !== null

const Snippets = ({ snippets }: { snippets: readonly Snippet[] }) => (
  <div class="stack">
    {snippets.map(({ title, code }, index) => (
      <details key={title} class="details" name="snippet" open={index === 0}>
        <summary>{title}</summary>
        <div>
          <CopyButton of={`snippet-${index}`} name={title} />
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
          <pre id={`snippet-${index}`} tabIndex={0} aria-label={title}>
            {code}
          </pre>
        </div>
      </details>
    ))}
  </div>
)
