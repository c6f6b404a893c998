/** Maximum items of a page of a list. */
export const pageItemsMax = 100

/** Items of a page if the request names no limit. */
export const pageItemsDefault = 50

/** Maximum records of an export. */
export const exportedMax = 100_000
