// msgpackr decodes in JavaScript where this exports nothing.
module.exports = undefined
