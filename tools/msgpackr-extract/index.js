// msgpackr decodes in JavaScript if this module exports nothing.
module.exports = undefined
