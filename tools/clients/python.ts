// The generated part of the Python client, clients/python/hosting_sdk/generated.
import { publicBase } from '@hosting/api'
import { readFileSync } from 'node:fs'
import { oneTimeMembers } from '../../packages/sdk/src/connection/response.ts'
import { renameForAll } from '../generate/rename-for-all.ts'
import { root } from '../run.ts'
import {
  clientModel,
  groupsOf,
  type Argument,
  type ClientModel,
  type ClientOperation,
  type Group,
} from './model.ts'
import { toPascal, type RecordType, type Type } from './types.ts'
import { clientVersion } from './version.ts'

const notice =
  '# Made by `npm run generate` from the OpenAPI document. Edit tools/clients, not this file.\n'
const header = `${notice}from __future__ import annotations\n`

/** The generated files by path. */
export const pythonFiles = (): Readonly<Record<string, () => string>> => {
  const folder = 'clients/python/hosting_sdk/generated'
  return {
    [`${folder}/__init__.py`]: () => notice,
    [`${folder}/groups.py`]: () => renameForAll(groupsFile(clientModel())),
    [`${folder}/types.py`]: () => renameForAll(typesFile(clientModel())),
    [`${folder}/values.py`]: valuesFile,
    [`${folder}/verify.py`]: () =>
      `${notice}${renameForAll(readFileSync(`${root}docs/webhooks/verify.py`, 'utf8'))}`,
  }
}

const valuesFile = (): string => `${notice}VERSION = "${clientVersion()}"
BASE_PATH = "${publicBase}"
# Members that the API returns once; in a response repeated for an Idempotency-Key they are null.
ONE_TIME_MEMBERS = (${oneTimeMembers.map((name) => `"${name}"`).join(', ')})
`

const typesFile = ({ records }: ClientModel): string => `${header}
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${records.map(recordClass).join('\n\n')}

__all__ = [
${records.map(({ name }) => `    "${name}",\n`).join('')}]
`

/** Before Python 3.11, the members that may be missing are in a class of their own. */
function recordClass({ name, members }: RecordType): string {
  const required = members.filter(({ isRequired }) => isRequired)
  const optional = members.filter(({ isRequired }) => !isRequired)
  if (optional.length === 0) return typedDict(name, 'TypedDict', required)
  if (required.length === 0) return typedDict(name, 'TypedDict, total=False', optional)
  return [
    typedDict(`_${name}`, 'TypedDict', required),
    typedDict(name, `_${name}, total=False`, optional),
  ].join('\n\n')
}

const typedDict = (name: string, base: string, members: RecordType['members']): string =>
  [
    `class ${name}(${base}):`,
    ...members.flatMap((member) => [
      `    ${identifier(member.name)}: ${typeOf(member.type)}`,
      ...(member.description === '' ? [] : [docstring(member.description, '    ')]),
    ]),
    '',
  ].join('\n')

/** The groups of `client.events` and others have methods that are not generated. */
const bases: Readonly<Record<string, string>> = { events: 'Followable' }

function groupsFile({ operations, records }: ClientModel): string {
  const groups = groupsOf(operations)
  const code = `${groups.map(groupClasses).join('\n\n')}

class Groups:
    """The groups of the API."""

    def __init__(self, connection: Connection) -> None:
${groups.map(({ path }) => `        self.${snake(path[0]!)} = ${className(path)}(connection)\n`).join('')}`
  const used = records
    .map(({ name }) => name)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(code))
  return `${header}
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._connection import Connection, path_of
from .._follow import Followable
from .._not_given import NOT_GIVEN, NotGiven, given
from .._pages import Pages
from .types import (
${used.map((name) => `    ${name},\n`).join('')})


${code}`
}

function groupClasses({ path, operations, groups }: Group): string {
  const base = bases[path.join('.')]
  const members = groups.map(
    (group) => `        self.${snake(group.path.at(-1)!)} = ${className(group.path)}(connection)\n`,
  )
  const constructor = base
    ? ''
    : `    def __init__(self, connection: Connection) -> None:
        self._connection = connection
${members.join('')}
`
  const own = `class ${className(path)}${base ? `(${base})` : ''}:
    """\`client.${path.map(snake).join('.')}\`"""

${constructor}${operations.map(method).join('\n')}`
  return [...groups.map(groupClasses), own].join('\n\n')
}

const className = (path: readonly string[]): string => `${toPascal(path.join(' '))}Group`

function method(operation: ClientOperation): string {
  const { name, pathNames, arguments: given, isPaged, isRetryable, method: verb } = operation
  const isKeyed = verb !== 'GET' && isRetryable
  const ordered = [
    ...given.filter(({ isRequired }) => isRequired),
    ...given.filter(({ isRequired }) => !isRequired),
  ]
  const named = [
    ...ordered.map(argument),
    ...(isKeyed ? ['idempotency_key: str | None = None'] : []),
  ]
  const result = operation.result ? typeOf(operation.result, 'annotation') : 'None'
  const parameters = [
    'self',
    ...pathNames.map((each) => `${each}: str`),
    ...(named.length > 0 ? ['*', ...named] : []),
  ]
  return `    def ${identifier(snake(name))}(
${parameters.map((each) => `        ${each},\n`).join('')}    ) -> ${isPaged ? `Pages[${result}]` : result}:
${docstring(methodText(operation, ordered, isKeyed), '        ')}
${isPaged ? pagedBody(operation) : callBody(operation, isKeyed, result)}`
}

const methodText = (
  { summary, description, method: verb, path }: ClientOperation,
  given: readonly Argument[],
  isKeyed: boolean,
): string =>
  [
    `${summary}.`,
    '',
    description,
    '',
    `${verb} ${path}`,
    ...(given.length > 0 || isKeyed ? [''] : []),
    ...given.map((each) => `${each.name}: ${each.description}`),
    ...(isKeyed
      ? ['idempotency_key: the Idempotency-Key; by default, a new one for each call.']
      : []),
  ].join('\n')

const argument = ({ name, type, isRequired }: Argument): string =>
  isRequired
    ? `${identifier(name)}: ${typeOf(type, 'argument')}`
    : `${identifier(name)}: ${typeOf(type, 'argument')} | NotGiven = NOT_GIVEN`

const pathCode = ({ path, pathNames }: ClientOperation): string =>
  pathNames.length === 0
    ? `"${path}"`
    : `path_of("${path}", ${pathNames.map((name) => `${name}=${name}`).join(', ')})`

const valuesCode = (given: readonly Argument[]): string =>
  `given({${given.map(({ name }) => `"${name}": ${name}`).join(', ')}})`

const pagedBody = (operation: ClientOperation): string => `        path = ${pathCode(operation)}
        return Pages(
            lambda query: self._connection.call("GET", path, query=query),
            ${valuesCode(operation.arguments)},
        )
`

function callBody(operation: ClientOperation, isKeyed: boolean, result: string): string {
  const { arguments: all, isRetryable, method: verb } = operation
  const query = all.filter((each) => each.in === 'query')
  const body = all.filter((each) => each.in === 'body')
  const call = [
    'self._connection.call(',
    `            "${verb}",`,
    `            ${pathCode(operation)},`,
    ...(query.length > 0 ? [`            query=${valuesCode(query)},`] : []),
    ...(body.length > 0 ? [`            body=${valuesCode(body)},`] : []),
    ...(isKeyed ? ['            idempotency_key=idempotency_key,'] : []),
    ...(isRetryable ? [] : ['            is_retryable=False,']),
    '        )',
  ].join('\n')
  return result === 'None'
    ? `        ${call}\n`
    : `        result: ${result} = ${call}\n        return result\n`
}

/**
 * A type in the syntax of Python. `stored`: members of records are evaluated by `typing.get_type_hints`, also in Python 3.9.
 * In a class with a method named `list`, `list` is that method.
 */
function typeOf(type: Type, use: 'stored' | 'annotation' | 'argument' = 'stored'): string {
  const inner = (each: Type): string => typeOf(each, use)
  const isStored = use === 'stored'
  switch (type.kind) {
    case 'list':
      return `${isStored ? 'List' : 'Sequence'}[${inner(type.of)}]`
    case 'map':
      return `${isStored ? 'Dict' : 'Mapping'}[str, ${inner(type.of)}]`
    case 'nullable':
      return isStored ? `Optional[${inner(type.of)}]` : `${inner(type.of)} | None`
    case 'union': {
      const members = type.of.map(inner)
      return isStored ? `Union[${members.join(', ')}]` : members.join(' | ')
    }
    case 'literal':
      return `Literal[${type.values.map(literal).join(', ')}]`
    case 'record':
      return type.name
    case 'any':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
  }
  return scalars[type.kind]
}

const scalars = { any: 'Any', string: 'str', integer: 'int', number: 'float', boolean: 'bool' }

const literal = (value: string | number | boolean): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

/** `rotate-secret` is `rotate_secret`. */
export const snake = (name: string): string => name.replaceAll('-', '_')

const keywords: ReadonlySet<string> = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

function identifier(name: string): string {
  if (!/^[a-z_]\w*$/i.test(name) || keywords.has(name)) {
    throw new Error(`${name} is not a name in Python.`)
  }
  return name
}

function docstring(text: string, indent: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')
  const lines = escaped.split('\n').map((line) => (line === '' ? '' : indent + line))
  return lines.length === 1
    ? `${indent}"""${escaped}"""`
    : `${indent}"""\n${lines.join('\n')}\n${indent}"""`
}
