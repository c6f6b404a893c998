/** Maximum items of a page of a list. */
export const pageItemsMax = 100

/** Items of a page if the request names no limit. */
export const pageItemsDefault = 50

/** Maximum records of an export. */
export const exportedMax = 100_000

/** Maximum filters that a person saves for a list of the panel. */
export const savedFiltersMax = 20

/** Maximum length of the name of a saved filter, in characters. */
export const savedFilterNameLengthMax = 60

/** Maximum length of what a saved filter sets, as the query of a URL, in characters. */
export const savedFilterQueryLengthMax = 2_000
