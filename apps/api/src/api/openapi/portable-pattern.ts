/** Anchors, groups and alternatives; characters, escaped ones and classes, each with a greedy quantifier. */
const portable =
  /^(?:[\^$|(]|\(\?:|(?:\)|[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/-]|\[\^?(?:[^\\\][^]|\\[\\^\][-])+\])(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?)*$/

/**
 * Whether a pattern means the same for ECMA-262 without flags, Python's `re`, RE2 and .NET. It is in ASCII, without
 * look-arounds, back references, `\p` and `\u`, and without `.` and classes such as `\d`, which differ in what they
 * contain.
 */
export const isPortable = (pattern: string): boolean =>
  /^[ -~]*$/.test(pattern) && portable.test(pattern)
