import { readFileSync } from 'node:fs'
import type { Command } from '../../apps/cli/src/command.ts'
import { commands } from '../../apps/cli/src/commands.ts'
import { toFlagNames, toValueSynopsis, toSynopsis } from '../../apps/cli/src/options.ts'
import { root } from '../run.ts'

const { version } = JSON.parse(readFileSync(`${root}apps/cli/package.json`, 'utf8')) as {
  version: string
}

/** apps/cli/man/hctl.1: the manual page of hctl (man-pages(7)), from its table of commands. */
export const manPage =
  (): string => `.\\" Made by \`npm run generate\` from the commands in apps/cli/src.
.TH HCTL 1 "" "hctl ${version}" "API keys and webhooks"
.SH NAME
hctl \\- manage API keys and webhooks
.SH SYNOPSIS
.B hctl
.I command
.RI [ options ]
.SH DESCRIPTION
.B hctl
signs in with
.BR "hctl login" ,
which a person approves in the panel. Scripts set
.B HCTL_TOKEN
to an API key instead.
.SH OPTIONS
Every command accepts these options.
.TP
.B \\-\\-json
Print JSON.
.TP
.BI \\-\\-jq " filter"
Print what a jq filter selects of the JSON.
.TP
.BI \\-\\-profile " name"
The profile to use.
.TP
.BI \\-\\-server " url"
The URL of the service.
.TP
.B \\-\\-help
Show help.
.SH COMMANDS
${commands
  .filter(({ hidden }) => !hidden)
  .map(describeCommand)
  .join('\n')}
.SH EXIT STATUS
0 done, 1 failed, 2 wrong usage, 3 refused (HTTP 401 or 403), 4 the device login expired, 5 rate limited
(HTTP 429), 130 interrupted.
.SH ENVIRONMENT
.TP
.B HCTL_URL
The URL of the service.
.TP
.B HCTL_TOKEN
An API key. It takes precedence over the sign-in of the profile.
.TP
.B HCTL_PROFILE
The profile to use.
.TP
.B NO_COLOR
Print without colors.
`

function describeCommand({ path, summary, arguments: given = {}, options = {} }: Command): string {
  const names = Object.entries(given).map(([name, argument]) => ` ${toSynopsis(name, argument)}`)
  const lines = Object.entries(options).flatMap(([name, option]) => {
    const flags = toFlagNames(name, option).map((flag) => flag + toValueSynopsis(option))
    return ['.TP', `.B ${escapeText(flags.join(', '))}`, escapeText(option.description)]
  })
  const heading = `.SS ${escapeText(`hctl ${path}${names.join('')}`)}`
  return [heading, `${escapeText(summary)}.`, ...lines].join('\n')
}

/** Escapes text so that roff does not interpret it. */
const escapeText = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
