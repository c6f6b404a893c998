import { eventTypes, exampleTypes } from '@hosting/core/webhooks'
import { Form, Submit } from '../../view/form.tsx'
import { Icon } from '../../view/icon.tsx'

const menuId = 'test-events'

/**
 * Sends a test event: a ping with the button itself, or an example of an event type with the menu beside it. It opens
 * without scripts.
 */
export const TestEventMenu = ({ to }: { to: string }) => (
  <div class="split-button">
    <Form action="ping" to={to} plain>
      <Submit>Send test event</Submit>
    </Form>
    <button
      type="button"
      class="button primary"
      popovertarget={menuId}
      aria-label="Choose the type of the test event"
      title="Choose the type of the test event"
    >
      <Icon name="down" />
    </button>
    <div class="test-events popup" id={menuId} popover="auto">
      <p class="quiet small">
        Sends an event with example data, even if the endpoint does not subscribe to its type.
      </p>
      <Form action="test" to={to} plain>
        <ul>
          {exampleTypes.map((type) => (
            <li key={type}>
              <button type="submit" name="event_type" value={type}>
                <span class="mono">{type}</span>
                <span class="under">{eventTypes.get(type)?.description}</span>
              </button>
            </li>
          ))}
        </ul>
      </Form>
    </div>
  </div>
)
