export {
  cookieOf,
  isLearned,
  LEARNED_KIND_BIT,
  ownerOfCookie,
  SIGNATURE,
  SIGNATURE_MASK,
  TENANT_MASK,
} from './cookies.js';
export { DROPS, type DropReason, type DropRule, dropOf } from './drops.js';
export {
  floodGroupId,
  groupSubject,
  isOurGroup,
  isOurMeter,
  listenerMeterId,
  type MeterSubject,
  meterSubject,
  puntMeterId,
  tenantMeterId,
} from './ids.js';
export { type Endpoint, endpointsOf } from './lookups.js';
export { endpointKey, type PoolMember, poolMembers } from './pool-members.js';
export { PUNT, type PuntClass } from './punt-classes.js';
export { REG, type RegisterField, type RegisterName } from './registers.js';
export {
  renderBase,
  renderEndpoint,
  renderListener,
  renderNeighbours,
  renderNetwork,
  renderNode,
  renderPool,
  renderSegment,
  renderTenant,
  renderTenantRules,
} from './render.js';
export { adoptServing } from './table-11-slots.js';
export { adoptNeighbours } from './table-21-adjacency.js';
export { TABLE_LIST, TABLES, type Table, type TableName, tableByNumber } from './tables.js';
export * from './types.js';
