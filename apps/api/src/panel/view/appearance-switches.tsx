import { usePage } from './context.ts'
import { Form } from './form.tsx'

/** Chooses the color scheme. The page is then shown again. */
export const ThemeSwitch = () => (
  <Switch
    label="Color scheme"
    path="/theme"
    chosen={usePage().appearance.theme ?? 'system'}
    choices={[
      ['system', 'System'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ]}
  />
)

/** Chooses the height of the rows of lists. The page is then shown again. */
export const DensitySwitch = () => (
  <Switch
    label="Rows of lists"
    path="/density"
    chosen={usePage().appearance.density}
    choices={[
      ['comfortable', 'Comfortable'],
      ['compact', 'Compact'],
    ]}
  />
)

/** Chooses the zone of times. The page is then shown again. Without scripts, all times are in UTC. */
export const TimesSwitch = () => (
  <div data-scripted hidden>
    <Switch
      label="Times"
      path="/times"
      chosen={usePage().appearance.times}
      choices={[
        ['local', 'Local time'],
        ['utc', 'UTC'],
      ]}
    />
  </div>
)

const Switch = ({
  label,
  path,
  chosen,
  choices,
}: {
  label: string
  /** The page that stores the choice. */
  path: string
  chosen: string
  choices: readonly (readonly [value: string, label: string])[]
}) => (
  <Form action={choices[0]![0]} to={path} plain>
    <input type="hidden" name="next" value={usePage().url} />
    <div class="switch" role="group" aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="submit"
          name="do"
          value={value}
          aria-pressed={value === chosen ? 'true' : 'false'}
        >
          {text}
        </button>
      ))}
    </div>
  </Form>
)
