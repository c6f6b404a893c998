import { usePage } from './context.ts'
import { Form } from './form.tsx'

const choices = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** Chooses the color scheme. The page is then shown again. */
export function ThemeSwitch() {
  const { url, theme = 'system' } = usePage()
  return (
    <Form action="system" to="/theme" plain>
      <input type="hidden" name="next" value={url} />
      <div class="switch" role="group" aria-label="Color scheme">
        {choices.map(([value, label]) => (
          <button
            key={value}
            type="submit"
            name="do"
            value={value}
            aria-pressed={value === theme ? 'true' : 'false'}
          >
            {label}
          </button>
        ))}
      </div>
    </Form>
  )
}
