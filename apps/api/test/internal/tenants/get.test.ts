import { useApi } from '../../../../../test/support/api.ts'
import { tenantKind, testDirectoryGet } from '../../support/directory.ts'

testDirectoryGet(useApi(), tenantKind)
