extension RowgateInterface {
    /// The interface in Varlink's definition language; a test compares it with the reply types.
    static let description = """
        # A gateway from Concept2 PM5 monitors to MQTT.
        interface org.rowgate.Control

        # A problem; the status is failed if one is critical.
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
          # Level of load shedding, 0 (none) to 4.
          load_step: ?int,
          queue_delay_s: ?float,
          cpu_pct: ?int,
          # Active alerts of the gateway itself, and their number since the daemon started.
          alerts: []Alert,
          alerts_total: int,
          # The athletes who may be assigned; absent if all may.
          roster: ?Roster,
          # State of the announcement by mDNS; absent if it is switched off.
          announcement: ?string
        )

        type Roster (
          source: (file, logbook),
          athletes: ?int,
          # The logbook that sent the roster, and when: Unix milliseconds.
          logbook: ?string,
          received_ms: ?int,
          # Ergs with an athlete who is not in the roster.
          ergs_of_others: []string
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
          # Counted by the kernel; absent if unknown.
          foreign_links: ?int,
          rx_bytes: ?int,
          tx_bytes: ?int,
          errors: ?int,
          power_cycles: int
        )

        type Relay (
          adapter: string,
          serial: ?string,
          state: (adapter_missing, adapter_off, waiting_for_monitor, refused, advertising, connected),
          problem: ?string
        )

        type Broker (
          host: string,
          port: int,
          connected: bool,
          # Time since the connection opened or closed.
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
          # Share of the file with unpublished records.
          used_pct: float,
          # Age of the oldest record in the ring.
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
          # Time until rowgate reconnects; absent for a release without a time limit.
          released_for_s: ?float,
          sleep_reason: ?string,
          adapter: ?string,
          rssi_dbm: ?int,
          age_s: ?float,
          notifications_per_s: ?float,
          silence_s: ?float,
          reconnects: int,
          # Reconnects for which the link was still open and only needed new subscriptions.
          resubscriptions: int,
          removals: int,
          last_failure: ?string,
          # The problem and its remedy; absent if there is none.
          advice: ?string
        )

        # rowgate-topics(7) lists the rules and their units.
        type Alert (
          id: string,
          rule: string,
          severity: string,
          value: ?float,
          threshold: ?float,
          age_s: float,
          session_id: ?string,
          # Absent until the alert is acknowledged; the name of the person is optional.
          acknowledged_age_s: ?float,
          acknowledged_by: ?string
        )

        type Erg (
          slug: string,
          serial: ?string,
          machine_type: ?string,
          link: Link,
          state: ?string,
          session_id: ?string,
          elapsed_s: ?float,
          distance_m: ?float,
          pace_s_per_500m: ?float,
          stroke_rate_spm: ?int,
          power_w: ?int,
          heart_rate_bpm: ?int,
          # below, in or above the target.
          pace_vs_target: ?string,
          power_vs_target: ?string,
          stroke_rate_vs_target: ?string,
          heart_rate_vs_target: ?string,
          battery_pct: ?int,
          battery_low: bool,
          # How far the monitor's clock was ahead, to half a minute, and how often it was set.
          clock_offset_s: ?int,
          clock_set_total: int,
          # Active alerts, and their number since the daemon started.
          alerts: []Alert,
          alerts_total: int,
          undecodable_total: int
        )

        # Ergs whose values are combined, by configuration or command.
        type Crew (
          name: string,
          ergs: []string
        )

        # The current state of the gateway; with a slug, only that erg.
        method Status(erg: ?string) -> (
        \(statusFields)
        )

        # The same at an interval, until the client closes. Needs 'more'.
        method Watch(interval_ms: ?int) -> (
        \(statusFields)
        )

        # A command to the gateway, to an erg, or to all ergs ("all"). rowgate-topics(7) lists the
        # fields of each verb; request_id is optional. Each reply is an object with the fields of
        # rsp.
        method Command(verb: string, erg: ?string, arguments: ?[string]object) -> (
          replies: []object
        )

        type Monitor (
          serial: string,
          # Slug of its erg; absent for a monitor that is not configured.
          erg: ?string,
          phase: ?string,
          adapter: string,
          rssi_dbm: ?int
        )

        # All PM5 monitors in range, strongest signal first.
        method Scan() -> (
          scanning: bool,
          monitors: []Monitor
        )

        type Workout (
          name: string,
          # The workout in the notation of rowgatectl workout.
          row: string
        )

        # The named workouts of the configuration.
        method Workouts() -> (
          workouts: []Workout
        )

        # Erases an athlete's records from the ring log, and lists places that it cannot erase.
        method ForgetAthlete(athlete: string) -> (
          erased: int,
          beyond_reach: []string
        )

        # No erg has that slug.
        error UnknownErg (message: string)

        # The message was not a request; the connection closes.
        error MalformedRequest (message: string)

        # The request was longer than the limit; the connection closes.
        error RequestTooLarge (message: string)

        # Too many clients are connected; the connection closes.
        error TooManyClients (message: string)

        # The request is valid but could not be carried out.
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
          crews: []Crew,
          # Adapters that present a monitor to a phone; absent without any.
          relays: ?[]Relay
        """
}
