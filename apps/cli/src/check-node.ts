// The first import of the program, without imports: it ends before modules that need a newer Node are loaded.
const needed = { major: 20, minor: 19 }

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
if (major < needed.major || (major === needed.major && minor < needed.minor)) {
  process.stderr.write(
    `hctl needs Node ${needed.major}.${needed.minor} or newer; this is Node ${process.versions.node}\n`,
  )
  process.exit(1)
}
