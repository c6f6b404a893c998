import { useApi } from '../../../../../test/support/api.ts'
import { accountKind, testDirectoryGet } from '../../support/directory.ts'

testDirectoryGet(useApi(), accountKind)
