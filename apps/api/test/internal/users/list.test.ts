import { useApi } from '../../../../../test/support/api.ts'
import { userKind, testDirectoryList, testTenantFilter } from '../../support/directory.ts'

const api = useApi()

testDirectoryList(api, userKind)
testTenantFilter(api, userKind)
