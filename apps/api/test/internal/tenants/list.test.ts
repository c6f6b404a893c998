import { useApi } from '../../../../../test/support/api.ts'
import { tenantKind, testDirectoryList } from '../../support/directory.ts'

testDirectoryList(useApi(), tenantKind)
