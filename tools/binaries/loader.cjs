'use strict'
// The program inside the executables. The service appends the code when it serves an executable: the code, and its
// length in 8 bytes. So one executable serves every URL and brand, whose names are not in this file.
const { closeSync, fstatSync, openSync, readSync } = require('node:fs')
const { compileFunction } = require('node:vm')

const lengthBytes = 8

const file = openSync(process.execPath, 'r')
const end = fstatSync(file).size - lengthBytes
const length = Number(read(lengthBytes, end).readBigUInt64LE())
const code = read(length, end - length).toString()
closeSync(file)
compileFunction(code, ['require'], { filename: 'main.cjs' })(require)

function read(bytes, position) {
  const buffer = Buffer.alloc(bytes)
  readSync(file, buffer, 0, bytes, position)
  return buffer
}
