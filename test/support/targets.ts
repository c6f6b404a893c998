import type { Page } from 'playwright-core'

/** The least width and height of a target, in CSS pixels (WCAG 2.2, 2.5.5). Half a pixel is rounding. */
const leastPx = 43.5

/**
 * Finds the targets of a page, in the page. A label enlarges its checkbox, and a row the link that covers it. Links within
 * a text are exempt, and so are the bars of a chart, whose table has the same links, and of a histogram: the filters of its
 * list select the same times.
 */
const script = `(() => {
  const blockOf = (node) => {
    let element = node.parentElement
    while (getComputedStyle(element).display.startsWith('inline') &&
      getComputedStyle(element).display === 'inline') element = element.parentElement
    return element
  }
  const isInText = (link) => {
    if (getComputedStyle(link).display !== 'inline') return false
    const block = blockOf(link)
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: text } = walker
      if (text.data.trim() !== '' && !link.contains(text) && blockOf(text) === block) return true
    }
    return false
  }
  const errors = []
  for (const element of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    if (element.closest('.visually-hidden, .skip, .chart svg, .histogram svg') || isInText(element)) continue
    const isBox = element.type === 'checkbox' || element.type === 'radio'
    const covers = getComputedStyle(element, '::after').position === 'absolute' && element.closest('tr')
    const target = (isBox && element.closest('label')) || covers || element
    const { width, height } = target.getBoundingClientRect()
    if (width >= ${leastPx} && height >= ${leastPx}) continue
    errors.push(Math.round(width) + ' x ' + Math.round(height) + ' px: ' + target.outerHTML.slice(0, 160))
  }
  return [...new Set(errors)]
})()`

/** The targets of a page that are smaller than 44 by 44 px. */
export const smallTargetsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(script)
