import { expect, test } from '@jest/globals'
import { ofRounds, ratioOfRounds } from './figures.ts'

test('the figure is the median of the rounds, with the minimum and the maximum', () => {
  expect(ofRounds('/s', [300.4, 100.2, 200.6])).toEqual({
    unit: '/s',
    median: 201,
    min: 100,
    max: 300,
  })
  expect(ofRounds('ms', [1, 2.005])).toMatchObject({ median: 1.5, min: 1, max: 2 })
})

test('a ratio is the median of the ratios of alternating rounds, not the ratio of medians', () => {
  expect(ratioOfRounds([10, 60, 50], [20, 60, 200])).toEqual({
    unit: 'ratio',
    median: 0.5,
    min: 0.25,
    max: 1,
  })
})
