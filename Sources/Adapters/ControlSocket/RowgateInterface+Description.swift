extension RowgateInterface {
    /// The interface in Varlink's own language; a test holds it against the reply types.
    static let description = """
        # A gateway from Concept2 PM5 monitors to MQTT.
        interface org.rowgate.Control

        # What is wrong; the status is failed if any of it is critical.
        type Problem (
          code: string,
          severity: string,
          erg: ?string,
          text: string,
          remedy: ?string
        )

        type Gateway (
          id: string,
          version: string,
          # ULID; sequence numbers are comparable only within one epoch.
          epoch: string,
          boot_id: string,
          uptime_s: float,
          clock_synchronized: bool,
          # What is left out while the machine is too slow: 0 nothing, up to 4.
          load_step: ?int,
          queue_delay_s: ?float,
          cpu_pct: ?int,
          # Its own that fire now, and how many began since the start.
          alerts: []Alert,
          alerts_total: int
        )

        type Bus (
          connected: bool,
          last_error: ?string,
          service_restarts: int
        )

        type Adapter (
          address: string,
          name: string,
          powered: bool,
          slots_used: int,
          slots_total: ?int,
          # What the kernel counts; absent where it does not say.
          foreign_links: ?int,
          rx_bytes: ?int,
          tx_bytes: ?int,
          errors: ?int,
          power_cycles: int
        )

        type Broker (
          host: string,
          port: int,
          connected: bool,
          # How long it has been connected, or disconnected.
          since_s: ?float,
          backlog_messages: int,
          backlog_age_s: ?float,
          published_total: int,
          rejected_total: int,
          unsubscribed_total: int,
          last_error: ?string
        )

        type Ring (
          path: string,
          size_bytes: int,
          # Of the size: records that wait for the broker.
          used_pct: float,
          # How far back the ring reaches: the age of its oldest record.
          reach_s: ?float,
          dropped_total: int,
          behind_s: ?float,
          commit_worst_s: ?float,
          last_error: ?string
        )

        type Link (
          phase: (searching, waiting, connecting, resolving, subscribing, streaming, parked, \
        released, asleep),
          parked_reason: ?string,
          release_reason: ?string,
          # Left of it; absent for a release until told.
          released_for_s: ?float,
          sleep_reason: ?string,
          adapter: ?string,
          rssi_dbm: ?int,
          age_s: ?float,
          notifications_per_s: ?float,
          silence_s: ?float,
          reconnects: int,
          # Of these, links that stood and only had to be subscribed anew.
          resubscriptions: int,
          removals: int,
          last_failure: ?string,
          # What is wrong and what to do; absent while all is well.
          advice: ?string
        )

        # rowgate-topics(7) says what the rules are, and in which units.
        type Alert (
          id: string,
          rule: string,
          severity: string,
          value: ?float,
          threshold: ?float,
          age_s: float,
          session_id: ?string,
          # Absent as long as nobody has seen it; who, where that is known.
          acknowledged_age_s: ?float,
          acknowledged_by: ?string
        )

        type Erg (
          slug: string,
          serial: ?string,
          link: Link,
          state: ?string,
          session_id: ?string,
          elapsed_s: ?float,
          distance_m: ?float,
          pace_s_per_500m: ?float,
          stroke_rate_spm: ?int,
          power_w: ?int,
          heart_rate_bpm: ?int,
          # below, in or above what was asked for.
          pace_vs_target: ?string,
          power_vs_target: ?string,
          stroke_rate_vs_target: ?string,
          heart_rate_vs_target: ?string,
          battery_pct: ?int,
          battery_low: bool,
          # What fires now, and how many began since the start.
          alerts: []Alert,
          alerts_total: int,
          undecodable_total: int
        )

        # Ergs whose figures are put together, by configuration and command.
        type Crew (
          name: string,
          ergs: []string
        )

        # The gateway at this moment; with a slug, only that erg.
        method Status(erg: ?string) -> (
        \(statusFields)
        )

        # The same again and again, until the client hangs up. Needs 'more'.
        method Watch(interval_ms: ?int) -> (
        \(statusFields)
        )

        # A command to the gateway, to an erg, or to every erg ("all"), with the fields that
        # rowgate-topics(7) lists for its verb; request_id may be left out. Each reply is an object
        # with the fields of rsp there.
        method Command(verb: string, erg: ?string, arguments: ?[string]object) -> (
          replies: []object
        )

        type Heard (
          serial: string,
          # Its place in the room; absent for a monitor that is not ours.
          erg: ?string,
          phase: ?string,
          adapter: string,
          rssi_dbm: ?int
        )

        # Every PM5 in range, the strongest first.
        method Scan() -> (
          scanning: bool,
          monitors: []Heard
        )

        type Workout (
          name: string,
          # What is rowed, as rowgatectl workout has it.
          row: string
        )

        # The workouts that the configuration has a name for.
        method Workouts() -> (
          workouts: []Workout
        )

        # Erases an athlete's records from the ring log, and says what it cannot reach.
        method ForgetAthlete(athlete: string) -> (
          erased: int,
          beyond_reach: []string
        )

        # No erg has that slug.
        error UnknownErg (message: string)

        # What came was not a request; the connection ends.
        error MalformedRequest (message: string)

        # The request was longer than the limit; the connection ends.
        error RequestTooLarge (message: string)

        # Every client slot is taken; the connection ends.
        error TooManyClients (message: string)

        # The request was understood and could not be carried out.
        error Failed (message: string)

        """

    private static let statusFields = """
          status: (ok, degraded, failed),
          reasons: []string,
          problems: ?[]Problem,
          gateway: Gateway,
          bus: Bus,
          adapters: []Adapter,
          broker: Broker,
          ring: Ring,
          ergs: []Erg,
          crews: []Crew
        """
}
