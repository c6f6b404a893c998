// The rows that are selected in a list: a button with their number, and a checkbox that selects all of them.

const boxes = () => [...document.querySelectorAll('input[type=checkbox][form=selection]')]

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-select-all]')) {
    for (const box of boxes()) box.checked = target.checked
  }
  showSelection()
})

function showSelection() {
  const all = document.querySelector('[data-select-all]')
  const button = document.querySelector('[data-selected]')
  if (!button) return
  const chosen = boxes().filter(({ checked }) => checked).length
  button.textContent =
    chosen === 0 ? button.dataset.selected : `${button.dataset.selected} (${chosen})`
  button.hidden = chosen === 0
  button.toggleAttribute('data-chosen', chosen > 0)
  if (!all) return
  all.checked = chosen > 0 && chosen === boxes().length
  all.indeterminate = chosen > 0 && !all.checked
}

addEventListener('pageshow', showSelection)
