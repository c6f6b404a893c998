import { ApiProblem } from '@hosting/sdk'
import { autocomplete, isCancel } from '@clack/prompts'
import { getServer } from '../auth/sign-in.ts'
import type { Context } from '../context.ts'
import { matchesPattern, readPatterns } from '../events/patterns.ts'
import { toFailure } from '../failure.ts'
import { cursorKeys, withKeys, type Keys } from '../terminal/keys.ts'
import { StatusLine } from '../terminal/status-line.ts'
import { printable, truncate, widthOf } from '../terminal/text.ts'
import { follow, type Listening, type ReceivedEvent, type Reporter } from './follow.ts'
import { forward, resign, type ForwardResult } from './forward.ts'
import { lineReporter, outcomeLabel, outcomeText } from './report-lines.ts'
import { triggerType } from './trigger.ts'

/** The last events that keys can select. */
const keptMax = 100

/** How many types the prompt of `t` shows at a time. */
const typesShown = 8

/** An event with how the local URL responded last. */
interface Kept {
  readonly event: ReceivedEvent
  result: ForwardResult | undefined
}

/** Follows the streams in a terminal, whose keys do something with the selected event. `q` ends it. */
export async function followWithKeys(context: Context, listening: Listening): Promise<void> {
  const session = new KeySession(context, listening)
  await withKeys(context.environment, session.onKey, (keys) => session.run(keys))
}

class KeySession implements Reporter {
  readonly #context: Context
  readonly #listening: Listening
  readonly #lines: Reporter
  readonly #status: StatusLine
  readonly #quit = new AbortController()
  readonly #kept: Kept[] = []
  /** Counts from the newest. 0 stays with the newest. */
  #selected = 0
  #secret = ''
  #keys: Keys | undefined
  /** What a key has started; other keys wait for nothing and are ignored. */
  #work: Promise<void> | undefined
  /** Ends with the prompt that has the terminal. */
  #prompt: Promise<unknown> | undefined

  constructor(context: Context, listening: Listening) {
    this.#context = context
    this.#listening = listening
    this.#lines = lineReporter(context.output, listening.target)
    this.#status = new StatusLine(context.environment.stdout)
  }

  async run(keys: Keys): Promise<void> {
    this.#keys = keys
    const signal = AbortSignal.any([keys.signal, this.#quit.signal])
    signal.addEventListener('abort', () => this.#status.show(''), { once: true })
    try {
      await follow(this.#context, this.#listening, { reporter: this, signal })
    } catch (error) {
      if (error !== this.#quit.signal.reason) throw error
    } finally {
      this.#quit.abort()
    }
  }

  opened(secret: string): void {
    this.#secret = secret
    this.#print(() => this.#lines.opened(secret))
  }

  replaying(deliveries: number): void {
    this.#print(() => this.#lines.replaying(deliveries))
  }

  lost(reason: string): void {
    this.#print(() => this.#lines.lost(reason))
  }

  async received(event: ReceivedEvent, result: ForwardResult | undefined): Promise<void> {
    await this.#prompt
    this.#kept.push({ event, result })
    if (this.#kept.length > keptMax) this.#kept.shift()
    // What is selected stays selected.
    if (this.#selected > 0) this.#select(1)
    this.#print(() => void this.#lines.received(event, result))
  }

  readonly onKey = (key: string): void => {
    if (key === 'q') this.#quit.abort()
    else if (key === cursorKeys.up) this.#select(1)
    else if (key === cursorKeys.down) this.#select(-1)
    else if (this.#work === undefined) this.#start(this.#actions[key])
  }

  readonly #actions: Readonly<Record<string, (() => Promise<void> | void) | undefined>> = {
    r: () => this.#resend(),
    d: () => this.#showDetails(),
    o: () => this.#open(),
    t: () => this.#trigger(),
  }

  #start(action: (() => Promise<void> | void) | undefined): void {
    if (!action) return
    this.#work = Promise.resolve()
      .then(action)
      .catch(this.#noteFailure)
      .finally(() => (this.#work = undefined))
  }

  #select(by: 1 | -1): void {
    this.#selected = Math.max(0, Math.min(this.#selected + by, this.#kept.length - 1))
    this.#showStatus()
  }

  async #resend(): Promise<void> {
    const { target } = this.#listening
    const kept = this.#requireEvent()
    if (!kept) return
    if (!target) return this.#note({ message: 'There is no URL to send it to: use --forward-to.' })
    const { now } = this.#context.environment
    const { event } = kept
    const request = resign(event, { secret: this.#secret, nowMs: now() })
    kept.result = await forward(target, request, { now, signal: this.#quit.signal })
    const at = new Date(now()).toISOString()
    this.#print(() => void this.#lines.received({ ...event, at }, kept.result))
  }

  #showDetails(): void {
    const kept = this.#requireEvent()
    if (!kept) return
    const { headers, body, at } = kept.event
    const lines = [
      `Arrived at ${at}${kept.result ? `, ${outcomeText(kept.result)}` : ''}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      ...JSON.stringify(JSON.parse(body), null, 2).split('\n'),
      '',
    ]
    this.#print(() => this.#context.output.lines(lines.map(printable)))
  }

  async #open(): Promise<void> {
    const kept = this.#requireEvent()
    if (!kept) return
    const { id } = kept.event
    if (!(await this.#isLogged(id))) {
      return this.#note({ message: 'The panel does not show this event: it is an example.' })
    }
    const url = `${await getServer(this.#context)}/events/${id}`
    this.#print(() => this.#context.output.lines([url]))
    await this.#context.environment.openUrl(url)
  }

  /** Examples are in no log. */
  async #isLogged(id: string): Promise<boolean> {
    try {
      await this.#listening.client.GET('/events/{id}', { params: { path: { id } } })
      return true
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 404) return false
      throw error
    }
  }

  /** Asks for the type. Events that arrive meanwhile are shown afterwards. */
  async #trigger(): Promise<void> {
    const { client, patterns } = this.#listening
    const types = (await readPatterns(client)).filter(
      (type) => !type.endsWith('*') && patterns.some((pattern) => matchesPattern(pattern, type)),
    )
    const newest = this.#kept.at(-1)?.event.type
    this.#status.show('')
    const keys = this.#keys!
    const asking = keys.lend(() =>
      autocomplete({
        signal: keys.signal,
        message: 'Which event? Type to search.',
        options: types.map((value) => ({ value, label: value })),
        maxItems: typesShown,
        ...(newest !== undefined && { initialValue: newest }),
      }),
    )
    this.#prompt = asking.finally(() => (this.#prompt = undefined)).catch(() => undefined)
    const type = await asking
    // The event arrives by the stream. Keys work again without waiting for the response.
    if (!isCancel(type)) void triggerType(client, { type }).catch(this.#noteFailure)
    this.#showStatus()
  }

  /** The selected event; says so if there is none. */
  #requireEvent(): Kept | undefined {
    const kept = this.#kept.at(-1 - this.#selected)
    if (!kept) this.#note({ message: 'No event has arrived yet.' })
    return kept
  }

  #note(failure: { readonly message: string; readonly hint?: string } | undefined): void {
    if (!failure) return
    const { message, hint } = failure
    this.#print(() =>
      this.#context.output.warn(printable([message, hint].filter(Boolean).join(' '))),
    )
  }

  readonly #noteFailure = (error: unknown): void => this.#note(toFailure(error))

  /** Waits for the prompt, if there is one. */
  #print(print: () => void): void {
    if (this.#isOver) return
    if (this.#prompt) return void this.#prompt.then(() => this.#print(print))
    this.#status.show('')
    print()
    this.#showStatus()
  }

  get #isOver(): boolean {
    return this.#quit.signal.aborted || this.#keys?.signal.aborted === true
  }

  /** The selected event with its outcome, and the keys. */
  #showStatus(): void {
    if (this.#isOver || this.#prompt) return
    const { output } = this.#context
    const { width } = this.#status
    const kept = this.#kept.at(-1 - this.#selected)
    if (!kept) return this.#status.show(truncate('t trigger · q quit', width))
    const { event, result } = kept
    const outcome = result ? outcomeText(result) : ''
    const name = truncate(
      printable(`${this.#selected > 0 ? '↑ ' : ''}${event.type}`),
      Math.max(1, width - widthOf(outcome) - 2),
    )
    const shown = result ? `${name}  ${outcomeLabel(output, result)}` : name
    const rest = width - widthOf(name) - widthOf(outcome) - (result ? 5 : 3)
    const help = 'r resend · d details · o open · t trigger · q quit · ↑↓ select'
    this.#status.show(rest > 1 ? `${shown}   ${truncate(help, rest)}` : shown)
  }
}
