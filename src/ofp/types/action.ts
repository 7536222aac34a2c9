import type { Field, FieldValue, Subfield } from './field.js';

/**
 * Parameters of each action by its type. `nx-extensions` adds Nicira's by declaration merging
 * (`declare module '../ofp/types/action.js' { interface ActionTypes { … } }`) and registers their codecs.
 */
export interface ActionTypes {
  output: {
    readonly port: number;
    /** Bytes for the controller. Default: 0xffff (OFPCML_NO_BUFFER) to OFPP.CONTROLLER, 0 to other ports. */
    readonly maxLen?: number;
  };
  group: { readonly groupId: number };
  set_queue: { readonly queueId: number };
  set_nw_ttl: { readonly ttl: number };
  dec_nw_ttl: object;
  set_mpls_ttl: { readonly ttl: number };
  dec_mpls_ttl: object;
  copy_ttl_out: object;
  copy_ttl_in: object;
  push_vlan: { readonly ethertype: number };
  pop_vlan: object;
  push_mpls: { readonly ethertype: number };
  pop_mpls: { readonly ethertype: number };
  push_pbb: { readonly ethertype: number };
  pop_pbb: object;
  set_field: {
    readonly field: Field;
    readonly value: FieldValue /** 1.5 masked set_field; NXAST_REG_LOAD2 before. */;
    readonly mask?: FieldValue;
  };
  /** OFPAT_COPY_FIELD of 1.5, ONF extension 320 on 1.3, NXAST_REG_MOVE elsewhere. */
  copy_field: { readonly src: Subfield; readonly dst: Subfield };
  /** OFPAT_METER of 1.5; an instruction before. */
  meter: { readonly meterId: number };
  /** An action of no known descriptor: the whole action, header and padding included. */
  raw: { readonly bytes: Uint8Array };
}

export type ActionType = keyof ActionTypes;
export type Action = { [K in ActionType]: { readonly type: K } & Readonly<ActionTypes[K]> }[ActionType];
export type ActionOf<K extends ActionType> = { readonly type: K } & Readonly<ActionTypes[K]>;

export type Instruction =
  | { readonly type: 'goto_table'; readonly table: number }
  | { readonly type: 'write_metadata'; readonly metadata: bigint; readonly mask: bigint }
  | { readonly type: 'write_actions'; readonly actions: readonly Action[] }
  | { readonly type: 'apply_actions'; readonly actions: readonly Action[] }
  | { readonly type: 'clear_actions' }
  /** OpenFlow 1.3/1.4; encoded as an action of apply_actions on 1.5. */
  | { readonly type: 'meter'; readonly meterId: number }
  | { readonly type: 'stat_trigger'; readonly flags: number; readonly stats: Uint8Array }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };
