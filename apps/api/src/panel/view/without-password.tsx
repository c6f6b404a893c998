import { Alert, LinkButton } from './components.tsx'

/** What a person without a password sees instead of a form about passwords. */
export const WithoutPassword = () => (
  <>
    <Alert title="You sign in without a password">
      Your sign-in and its second factor are managed where you sign in, outside this panel.
    </Alert>
    <div class="buttons">
      <LinkButton to="/security">Back to security</LinkButton>
    </div>
  </>
)
