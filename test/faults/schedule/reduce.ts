import type { Schedule } from './schedule.ts'

/**
 * Leaves out the faults of a failing schedule one by one, as long as it still fails without them.
 *
 * @param fails - runs a schedule, as often as it takes to see a failure that does not always occur.
 * @param isOver - whether no time is left for another try.
 * @returns the smallest schedule that failed.
 */
export async function reduceSchedule(
  schedule: Schedule,
  fails: (schedule: Schedule) => Promise<boolean>,
  isOver: () => boolean = () => false,
): Promise<Schedule> {
  let smallest = schedule
  for (const fault of schedule.faults) {
    if (isOver()) break
    const candidate = { ...smallest, faults: smallest.faults.filter((each) => each !== fault) }
    if (await fails(candidate)) smallest = candidate
  }
  return smallest
}
