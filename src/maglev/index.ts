export {
  baseTable,
  MAX_SLOTS,
  NOBODY,
  type SlotInput,
  type SlotMember,
  slotDigest,
  slotTable,
} from './slot-table.js';
