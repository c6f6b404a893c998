import { useApi } from '../../../../../test/support/api.ts'
import { accountKind, testDirectoryList, testTenantFilter } from '../../support/directory.ts'

const api = useApi()

testDirectoryList(api, accountKind)
testTenantFilter(api, accountKind)
