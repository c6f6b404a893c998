/** The data of a site event. */
export const siteData = {
  object_type: 'site',
  object_id: 'site-1',
  account_id: 'account-1',
  primary_domain: 'example.com',
}
