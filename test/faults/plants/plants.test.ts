import { expect, test } from '@jest/globals'
import { readFile } from 'node:fs/promises'
import { root } from '../../../tools/run.ts'
import { plants } from './plants.ts'

const patches = Object.entries(plants).flatMap(([name, plant]) =>
  plant.patches.map(({ file, find }) => [name, file, find] as const),
)

test.each(patches)('the planted defect %s fits %s', async (_name, file, find) => {
  const pieces = (await readFile(root + file, 'utf8')).split(find)
  expect(pieces).toHaveLength(2)
})
