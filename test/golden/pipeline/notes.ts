/** What the rules don't say by themselves. */
export const NOTES = `
## Notes

### A packet's way
- **Private, one segment.** 0 → 1 → 2 → 10 → \`ct\` → 10 → 11 → 12 → \`ct(commit)\` → 20 → 21. The member answers its
  neighbour directly: 0 → 1 → 24 → \`ct\` → 25. MAC of the client and TTL stay as they were.
- **Private, other segment.** The answer goes by the gateway: 0 → 1 → 2 → 15 → \`ct\` → 16 → 20 → 21. TTL falls by one.
- **Public.** The packet enters as the provider's (tenant 65535); the rule of its VIP in table 2 makes it its tenant's
  and sets \`external\`, which goes into ct_mark with the listener. On the way back table 16 (stateful) or 15
  (stateless) hands the packet to the provider again. Nothing else leads from a tenant to an external network.
- **Established traffic** is looked up in conntrack first and never hashed, so it shares megaflows; its way is decided
  by its translated destination, not by the slots, and stays when these move.

### What the switch answers by itself
ARP for gateways, probe addresses and VIPs, and ICMP echo to them. Table 26 sends answers back with the VLAN or tunnel
that table 0 took off. An echo request in fragments isn't answered.

### Punts
The first byte of the userdata is the class (arp 1, nd 2, probe 3, nextHop 4). Each (tenant, class) has a meter of its
own, named in the controller action: whoever floods the agent loses packets of his own tenant and class only. The
meter is the action's and not the rule's, so what the rule does besides (forward an ARP) isn't limited.

### Meters
The rule's \`meter\` is the version-neutral instruction: an instruction on OpenFlow 1.3, an action on 1.5. 1.3 allows one
per rule, so a tenant's bandwidth is a call of table 30 beside the port's own meter. Meters can't be in bundles and
must exist before the rules that name them.

### Stateless listeners
- Private ones rewrite what members send from their service port, except to other members of the pool. So a host of the
  tenant that isn't a member can't use the member's service port directly, and a member that opens the VIP is always
  served by itself: the answer of another one could not be told from direct traffic.
- Public ones serve clients of the external network alone. Insiders are dropped in table 10, with a counter; answers to
  their networks are not rewritten, so direct traffic works.
- ICMP errors about stateless traffic are not translated: their quoted header can't be rewritten by a flow. Path MTU
  discovery through a stateless listener needs equal MTUs or MSS clamping at the members.
- Fragments have no ports to match and are dropped.

### Fragments
Stateful listeners take them: conntrack gathers a datagram before it decides. A connection that *opens* with fragments
can be placed only where its VIP has one stateful listener for the protocol, as conntrack tells the ports of the first
fragment alone; it then goes by the client's address. All others are counted as \`not-tracked\`. The switch passes IPv4
fragments below 1200 bytes to conntrack only with \`dpctl/ipf-set-min-frag\` lowered.

### Hairpin
A member that opens its own VIP sees the VIP as its client, in both modes: source and destination are rewritten in
headers and sent back out of its port. Its packets carry the client's port, so where several listeners of one VIP lead
to the member, table 12 learns a rule for the answer.

### Conntrack flushed, or the switch restarted
A client's next packet opens its connection again, at the same member, because slots are a function of the members. What
only the server would say in between can't be translated and is not delivered: a client that has sent its whole request
and waits sees its time-out. Flushes are therefore made by tuple, of members that are gone.

### Direct traffic to a member's service port
It isn't committed to conntrack. One client port used at once for the VIP and for the member itself is therefore the
same tuple to conntrack: the direct answer would be translated to the VIP. Committing all direct traffic to service
ports would let conntrack see the clash when the direct connection comes first, and cost every such packet a tracked
lookup; when the balanced connection comes first it would not help. Kernels choose ports per destination, so the case
needs a client that binds one port for both. The member's kernel sees one connection twice and doesn't open the second; the first
goes on.

### Two VLANs of one trunk in one segment
are not bridged with each other: a frame is never sent out of the port it came in by. Segments are routed between VLANs
of one trunk.

### Learned rules
(kinds 8 and up) have an idle time-out of 300 s and limits per segment (\`limits: { macs, adjacencies }\`, by default 1024
and 4096). Beyond them service goes on: frames to a MAC that wasn't learned are flooded in their segment, next hops are
resolved by the agent. While a segment is at its limit, an address that was learned doesn't follow a host to another
MAC before its entry has aged. A limit that is lowered doesn't remove what was learned. Reconciling never touches
learned rules. Adjacencies that the resolver verified have priority over learned ones; nothing is learned from uplinks.

### Client and member behind one port
A member that shares a segment and a trunk or tunnel port with its client answers it without passing the switch, so the
answer isn't translated. Put them into different segments, or on different ports.
`;
