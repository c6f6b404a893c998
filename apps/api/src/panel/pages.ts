import type { Page } from './page.ts'
import { densityPage, themePage, timesPage } from './pages/appearance.ts'
import { auditPage } from './pages/audit/list.tsx'
import { bulkPage } from './pages/deliveries/bulk.tsx'
import { deliveriesPage } from './pages/deliveries/list.tsx'
import { deliveryPage } from './pages/deliveries/show.tsx'
import { eventsPage } from './pages/events/list.tsx'
import { eventPage } from './pages/events/show.tsx'
import { deviceCodePage } from './pages/device/code.tsx'
import { deviceReviewPage } from './pages/device/review.tsx'
import { disableKeyPage, revokeKeyPage } from './pages/keys/confirmations.tsx'
import { newKeyPage } from './pages/keys/create.tsx'
import { editKeyPage } from './pages/keys/edit.tsx'
import { keysPage } from './pages/keys/list.tsx'
import { rotateKeyPage } from './pages/keys/rotate.tsx'
import { endpointHistoryPage, keyHistoryPage } from './pages/audit/history.tsx'
import { keyPage } from './pages/keys/show.tsx'
import { keyUsesPage } from './pages/keys/uses.tsx'
import { keyTokenPage } from './pages/keys/token.tsx'
import { newWorkloadKeyPage } from './pages/keys/workload/create.tsx'
import { editWorkloadPage } from './pages/keys/workload/edit.tsx'
import { workloadPage } from './pages/keys/workload/setup.tsx'
import { keyPolicyPage } from './pages/organization/key-policy.tsx'
import { securityPolicyPage } from './pages/organization/security-policy.tsx'
import { organizationPage } from './pages/organization/show.tsx'
import { policyViolationsPage } from './pages/organization/violations.tsx'
import { noticesPage } from './pages/notices.tsx'
import { overviewPage } from './pages/overview.tsx'
import { authenticatorPage } from './pages/security/authenticator.tsx'
import { searchPage } from './pages/search/search.tsx'
import {
  endSessionPage,
  endSessionsPage,
  removeAuthenticatorPage,
  removePasskeyPage,
} from './pages/security/confirmations.tsx'
import { newPasskeyPage } from './pages/security/new-passkey.tsx'
import { passwordPage } from './pages/security/password.tsx'
import { recoveryCodesPage } from './pages/security/recovery-codes.tsx'
import { securityPage } from './pages/security/security.tsx'
import { signInCodePage } from './pages/sign-in/code.tsx'
import { confirmPage } from './pages/sign-in/confirm.tsx'
import { signInLinkPage } from './pages/sign-in/link.tsx'
import { oidcCallbackPage, oidcPage, oidcSignOutPage } from './pages/sign-in/oidc.tsx'
import { signInPage } from './pages/sign-in/sign-in.tsx'
import { signOutPage } from './pages/sign-in/sign-out.tsx'
import { endpointComparePage } from './pages/webhooks/compare.tsx'
import { deleteEndpointPage, disableEndpointPage } from './pages/webhooks/confirmations.tsx'
import { newEndpointPage } from './pages/webhooks/create.tsx'
import { endpointDeliveriesPage } from './pages/webhooks/deliveries.tsx'
import { editEndpointPage } from './pages/webhooks/edit.tsx'
import { endpointIncidentPage } from './pages/webhooks/incident.tsx'
import { endpointIncidentsPage } from './pages/webhooks/incidents.tsx'
import { endpointsPage } from './pages/webhooks/list.tsx'
import { recoverPage } from './pages/webhooks/recover.tsx'
import { recoveryPage } from './pages/webhooks/recovery.tsx'
import { rotateSecretPage } from './pages/webhooks/rotate.tsx'
import { endpointSecretPage } from './pages/webhooks/secret.tsx'
import { endpointSettingsPage } from './pages/webhooks/settings.tsx'
import { endpointPage } from './pages/webhooks/show.tsx'

/** The table of the panel's pages. Static paths come before parameterized ones. */
export const pages: readonly Page[] = [
  overviewPage,
  searchPage,
  signInPage,
  signInCodePage,
  signInLinkPage,
  oidcPage,
  oidcCallbackPage,
  oidcSignOutPage,
  signOutPage,
  confirmPage,
  deviceCodePage,
  deviceReviewPage,
  keysPage,
  newKeyPage,
  newWorkloadKeyPage,
  keyPage,
  keyUsesPage,
  keyHistoryPage,
  workloadPage,
  editWorkloadPage,
  editKeyPage,
  keyTokenPage,
  rotateKeyPage,
  disableKeyPage,
  revokeKeyPage,
  endpointsPage,
  newEndpointPage,
  endpointPage,
  endpointDeliveriesPage,
  endpointIncidentsPage,
  endpointIncidentPage,
  endpointHistoryPage,
  endpointComparePage,
  endpointSettingsPage,
  editEndpointPage,
  endpointSecretPage,
  rotateSecretPage,
  disableEndpointPage,
  deleteEndpointPage,
  recoverPage,
  recoveryPage,
  eventsPage,
  eventPage,
  deliveriesPage,
  bulkPage,
  deliveryPage,
  auditPage,
  organizationPage,
  keyPolicyPage,
  securityPolicyPage,
  policyViolationsPage,
  noticesPage,
  securityPage,
  endSessionsPage,
  endSessionPage,
  passwordPage,
  newPasskeyPage,
  removePasskeyPage,
  authenticatorPage,
  removeAuthenticatorPage,
  recoveryCodesPage,
  themePage,
  densityPage,
  timesPage,
]
