/** The languages of the libraries, as the documentation names them. */
export type LanguageName = 'JavaScript' | 'Python' | 'Go' | 'Java'

/** A function of somebody else's library that verifies deliveries, as the documentation and the suite use it. */
export interface Verifier {
  readonly language: LanguageName
  /** As its registry names it. */
  readonly library: string
  readonly version: string
  /** The statements that its language needs to import it. */
  readonly imports: string
  /** A statement before the call. */
  readonly setup?: string
  /** Fails, if the delivery is refused. The suite runs exactly this text. */
  readonly call: string
  /** `fetch`: the call is for a handler that gets a `Request`. Others in JavaScript get a request of Node. */
  readonly handler?: 'fetch'
  /** For a function that refuses genuine deliveries: why, and a part of its error. */
  readonly avoid?: { readonly because: string; readonly error: string }
}

const stripeNode = {
  language: 'JavaScript',
  library: 'stripe',
  version: '23.1.0',
  imports: "import Stripe from 'stripe'",
} as const

const stripePython = {
  language: 'Python',
  library: 'stripe',
  version: '16.1.0',
  imports: 'import stripe',
} as const

const stripeGo = {
  language: 'Go',
  library: 'github.com/stripe/stripe-go/v85',
  version: '85.0.0',
  imports: 'import "github.com/stripe/stripe-go/v85/webhook"',
} as const

const stripeJava = {
  language: 'Java',
  library: 'com.stripe:stripe-java',
  version: '33.3.0',
  imports: 'import com.stripe.net.Webhook;',
} as const

/** Stripe's libraries, which verify `Service-Signature`. */
export const stripeVerifiers: readonly Verifier[] = [
  { ...stripeNode, call: 'Stripe.webhooks.constructEvent(body, signature, secret)' },
  {
    ...stripePython,
    call: 'stripe.WebhookSignature.verify_header(body.decode(), signature, secret, tolerance=300)',
  },
  { ...stripePython, call: 'stripe.Webhook.construct_event(body, signature, secret)' },
  { ...stripeGo, call: 'webhook.ValidatePayload(body, signature, secret)' },
  {
    ...stripeGo,
    call: 'webhook.ConstructEvent(body, signature, secret)',
    avoid: {
      because: "it looks for members of Stripe's own events",
      error: 'thin event notification',
    },
  },
  { ...stripeJava, call: 'Webhook.Signature.verifyHeader(body, signature, secret, 300)' },
]

const standardNode = {
  language: 'JavaScript',
  library: 'standardwebhooks',
  version: '1.1.1',
  imports: "import { Webhook } from 'standardwebhooks'",
} as const

const svixNode = {
  language: 'JavaScript',
  library: 'svix',
  version: '2.5.0',
  imports: "import { Webhook } from 'svix'",
} as const

/** Both libraries have the same functions. */
const nodeCalls: readonly Pick<Verifier, 'call' | 'handler' | 'avoid'>[] = [
  { call: 'new Webhook(secret).verify(body, request.headers)' },
  {
    call: 'new Webhook(secret).verify(await request.text(), Object.fromEntries(request.headers))',
    handler: 'fetch',
  },
  {
    call: 'new Webhook(secret).verify(await request.text(), request.headers)',
    handler: 'fetch',
    avoid: { because: 'it finds nothing in `Headers`', error: 'Missing required headers' },
  },
]

const goWebhook = (name: string) => ({
  setup: `wh, err := ${name}.NewWebhook(secret)`,
  call: 'wh.Verify(body, r.Header)',
})

/** Libraries that verify the headers of Standard Webhooks. */
export const standardVerifiers: readonly Verifier[] = [
  ...nodeCalls.map((call) => ({ ...standardNode, ...call })),
  ...nodeCalls.map((call) => ({ ...svixNode, ...call })),
  {
    language: 'Python',
    library: 'standardwebhooks',
    version: '1.1.0',
    imports: 'from standardwebhooks import Webhook',
    call: 'Webhook(secret).verify(body, dict(headers))',
  },
  {
    language: 'Python',
    library: 'svix',
    version: '2.9.1',
    imports: 'from svix import Webhook',
    call: 'Webhook(secret).verify(body, dict(headers))',
  },
  {
    language: 'Go',
    library: 'github.com/standard-webhooks/standard-webhooks/libraries',
    version: '0.0.1',
    imports:
      'import standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"',
    ...goWebhook('standardwebhooks'),
  },
  {
    language: 'Go',
    library: 'github.com/svix/svix-webhooks',
    version: '1.44.0',
    imports: 'import svix "github.com/svix/svix-webhooks/go"',
    ...goWebhook('svix'),
  },
  {
    language: 'Java',
    library: 'com.standardwebhooks:standardwebhooks',
    version: '1.2.0',
    imports: 'import com.standardwebhooks.Webhook;',
    call: 'new Webhook(secret).verify(body, headers)',
  },
]

/** Every function that the suite calls. */
export const verifiers: readonly Verifier[] = [...stripeVerifiers, ...standardVerifiers]
