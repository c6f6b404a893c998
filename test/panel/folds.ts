/** Whether each group of folded fields is open, by its title. */
export const foldsOf = (text: string): [title: string, isOpen: boolean][] =>
  [...text.matchAll(/<details class="details folded"( open)?><summary><span>([^<]+)/g)].map(
    ([, open, title]) => [title!, open !== undefined],
  )
