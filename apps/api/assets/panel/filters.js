// The URL of a filtered list contains only the filters that are set, with times in UTC.

addEventListener('formdata', ({ target: form, formData }) => {
  if (form.method !== 'get') return
  for (const [name, value] of Array.from(formData)) {
    if (value === '') formData.delete(name)
    else if (form.elements[name]?.dataset?.moment !== undefined) {
      formData.set(name, new Date(value).toISOString())
    }
  }
})
