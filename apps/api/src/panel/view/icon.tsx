const paths = {
  overview: 'M4 13h6V4H4zM14 9h6V4h-6zM14 20h6v-7h-6zM4 20h6v-3H4z',
  key: 'M14.5 13a4.5 4.5 0 1 0-4.2-2.9L4 16.4V20h3.6v-2.4H10v-2.4h1.6l.7-.7a4.5 4.5 0 0 0 2.2.5M16 8h.01',
  endpoint:
    'M12 8.5 8.3 15M9.2 6.8a3 3 0 1 1 5 2l3.2 5.7M6.5 13.6a3 3 0 1 0 3.4 4H17M17.5 20.5a3 3 0 1 0-1.8-5.4',
  event: 'M13 3 5 13.5h6L10 21l8.5-10.5H12z',
  delivery: 'M21 3 10.5 13.5M21 3l-6.6 18-3.9-7.5L3 9.6z',
  audit: 'M8 6h12M8 12h12M8 18h8M4 6h.01M4 12h.01M4 18h.01',
  organization: 'M4 20V6l8-3v17M12 9h8v11M7 9h2M7 13h2M15 13h2M15 17h2M3 20h18',
  shield: 'M12 3 5 5.6v5.6c0 4.3 2.9 8 7 9.8 4.1-1.8 7-5.5 7-9.8V5.6zM9 12l2.2 2.2L15.2 10',
  terminal: 'M4 5h16v14H4zM8 10l2.5 2L8 14M13 15h3.5',
  book: 'M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2M12 6.5v13',
  check: 'M5 12.5 10 17.5 19.5 7',
  alert: 'M12 4 2.8 19.5h18.4zM12 10v4.2M12 17h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5M12 8h.01',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 21h4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  down: 'm6 9.5 6 6 6-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  bookmark: 'M7 4h10v16l-5-3.7L7 20z',
  filter: 'M4 6h16M7 12h10M10 18h4',
  pause: 'M9 5.5v13M15 5.5v13',
  play: 'M8 5.5v13l10.5-6.5z',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4.5 4.5',
} as const

/** The name of an icon. */
export type IconName = keyof typeof paths

/** A decorative icon; the text next to it carries the meaning. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

/** The product logo. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6.5" fill="currentColor" />
    <path
      d="M7.5 7v10M16.5 7v10M7.5 12h9"
      stroke="#fff"
      stroke-width="2.3"
      stroke-linecap="round"
    />
  </svg>
)
