/** The grant type of a device login (RFC 8628, section 3.4). */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of a token exchange (RFC 8693, section 2.1). */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
