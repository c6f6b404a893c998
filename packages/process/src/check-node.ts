// The first import of a process, without imports: it ends before modules that need a newer Node are loaded.
const neededMajor = 24

if (Number(process.versions.node.split('.')[0]) < neededMajor) {
  process.stderr.write(
    `Node ${neededMajor} or newer is needed; this is Node ${process.versions.node}\n`,
  )
  process.exit(1)
}
