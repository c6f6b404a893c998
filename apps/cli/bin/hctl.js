#!/usr/bin/env node
// A file of its own, so that npm can link the command before anything is built.
await import('../dist/main.js')
