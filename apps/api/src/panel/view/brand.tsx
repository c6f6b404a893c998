import { usePage } from './context.ts'
import { Mark } from './icon.tsx'

/** The logo and the name of the company. */
export function BrandMark() {
  const { name, logo } = usePage().brand
  return (
    <>
      {logo ? <img src={logo.url} alt="" height="26" /> : <Mark />}
      {name}
    </>
  )
}
