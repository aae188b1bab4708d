import Bytes
import Contract
import Timeline

/// The current state of every gateway and erg: the newest message of each kind, as published.
///
/// It has no clock: times are parameters. It has limits, because a publisher on the broker can invent
/// gateways and ergs.
struct LiveBoard: Sendable {
    /// The maximum numbers of places and bytes on the board.
    struct Limits: Sendable {
        /// As many as the gateways page can show.
        var gateways = 256
        /// Ergs of one gateway, and ergs on the wall of all gateways: as many as a wall can show.
        var ergs = 64
        /// Ergs of all gateways: eight for each of 64 gateways.
        var allErgs = 512
        /// Crews of all gateways.
        var crews = 128
        /// Bytes of one message.
        var messageBytes = ReceivedMessage.maximumBytes
        /// Bytes of all messages together.
        var bytes = 16 << 20
    }

    /// The result of applying a message.
    enum Outcome: Equatable, Sendable {
        /// The message changed the board.
        case applied
        /// The board does not show such messages: a command, a reply, or a replayed record.
        case ignored
        case refused(Refusal)
    }

    /// Why a message is refused.
    enum Refusal: String, CaseIterable, Sendable {
        case noObject = "not a JSON object on one line"
        case noContract = "does not match the contract"
        case noAvailability = "neither \"online\" nor \"offline\""
        case tooLong = "message too long"
        case tooManyGateways = "too many gateways"
        case tooManyErgs = "too many ergs"
        case tooManyCrews = "too many crews"
        case tooManyBytes = "too many bytes in all messages"
    }

    /// A gateway, one of its ergs, or a crew of its ergs.
    struct Place: Hashable, Comparable, Sendable {
        let gateway: GatewayID
        var erg: StationID?
        var crew: CrewID?

        var kind: PlaceKind { erg != nil ? .erg : crew != nil ? .crew : .gateway }

        static func < (left: Place, right: Place) -> Bool {
            left.path.lexicographicallyPrecedes(right.path)
        }

        private var path: [String] { [gateway.slug, erg?.slug ?? "", crew?.slug ?? ""] }
    }

    /// The part of the board that a reader gets.
    struct Scope: Hashable, Sendable {
        /// nil for all gateways.
        var gateway: GatewayID?
        /// The only erg of the gateway, with the gateway's availability; nil for all ergs.
        var erg: StationID?
        /// Whether all ergs are sent, also those that the wall of all gateways does not show: for races.
        var hasAllErgs = false
    }

    enum PlaceKind: CaseIterable, Sendable { case gateway, erg, crew }

    struct Message: Sendable {
        /// JSON on one line.
        let payload: [UInt8]
        /// The time from which the message's age is measured.
        let timestamp: BootInstant
        /// The number of the subscription that delivered the message.
        let subscription: Int
        /// Whether `timestamp` is the time of publication. It is not for a retained message without a trusted
        /// time.
        let hasTrustedTime: Bool
    }

    /// The messages of one place.
    struct PlaceState: Sendable {
        var messages: [Kind: Message] = [:]
        /// The board's version at the last change of this place.
        var changed: UInt64 = 0
    }

    /// The state of the connection to the broker.
    struct Broker: Sendable {
        var isConnected = false
        var since: BootInstant
        var changed: UInt64 = 0
    }

    /// A recent personal best.
    struct Best: Sendable {
        let gateway: GatewayID?
        /// JSON on one line, without the athlete's name: the page shows the name of the place.
        let payload: [UInt8]
        let since: BootInstant
        let changed: UInt64
    }

    /// The time for which a best is shown, and the maximum number of bests.
    static let bestDisplayTime = Duration.seconds(60)
    static let maximumBests = 64

    let limits: Limits
    private(set) var places: [Place: PlaceState] = [:]
    /// The ergs that each gateway can have, from its birth.
    private var ergsByBirth: [GatewayID: GatewayErgs] = [:]
    /// The ergs on the wall of all gateways: the first ones that were received.
    private(set) var wall: Set<Place> = []
    private(set) var broker: Broker
    /// Ordered from the oldest to the newest.
    private(set) var bests: [Best] = []
    /// The number of changes so far. A reader remembers the last version that it received.
    private(set) var version: UInt64 = 1
    /// The version at which a place was last removed. Readers with an older version get the whole board
    /// again.
    private(set) var lastRemoval: UInt64 = 1
    private var bytes = 0
    private var subscription = 0

    /// Creates an empty board.
    init(limits: Limits = Limits(), at now: BootInstant) {
        self.limits = limits
        broker = Broker(since: now)
    }

    // MARK: Messages

    /// Applies a message that was received at `now`.
    ///
    /// - Parameter clock: Converts the message's own time to this machine's clock.
    mutating func apply(_ received: ReceivedMessage, at now: BootInstant, clock: WallClock) -> Outcome {
        let (gateway, payload, isRetained) = (received.gateway, received.payload, received.isRetained)
        guard let (place, kind) = Kind.resolve(received.topic, at: gateway) else { return .ignored }
        if payload.isEmpty { return clear(kind, of: place, removesPlace: kind.isRetained) }
        // A retained message of an erg that was removed from the configuration.
        if let erg = place.erg, ergsByBirth[gateway]?.contains(erg) == false { return .ignored }
        var message = Message(
            payload: payload, timestamp: now, subscription: subscription, hasTrustedTime: !isRetained)
        switch received.content {
        case .availability(_, let content):
            guard let availability = content.value else { return .refused(.noAvailability) }
            message = Message(
                payload: Array("\"\(availability.rawValue)\"".utf8), timestamp: now,
                subscription: subscription, hasTrustedTime: !isRetained)
        case .record(_, let content), .retained(_, let content), .live(let content),
            .reply(_, _, let content):
            guard payload.count <= limits.messageBytes else { return .refused(.tooLong) }
            // An event stream needs JSON on one line.
            guard let object = content.value, SingleLineJSON.isSingleLine(payload) else {
                return .refused(.noObject)
            }
            if object["historical"] == .flag(true) { return .ignored }
            guard RetainedSchema.fits(object, kind.rawValue) else { return .refused(.noContract) }
            if isRetained, let published = Self.instant(of: object, clock), published < now {
                message = Message(
                    payload: payload, timestamp: published, subscription: subscription, hasTrustedTime: true)
            }
            if kind == .birth { ergsByBirth[gateway] = Birth.ergs(in: object) }
        }
        let outcome = put(message, kind, of: place)
        if kind == .birth { dropFormerErgs(of: gateway) }
        return outcome
    }

    /// Removes ergs that the gateway's birth excludes.
    private mutating func dropFormerErgs(of gateway: GatewayID) {
        guard let ergs = ergsByBirth[gateway] else { return }
        for place in places.keys where place.gateway == gateway {
            if let erg = place.erg, !ergs.contains(erg) { drop(place) }
        }
    }

    /// Removes a place with all its messages.
    private mutating func drop(_ place: Place) {
        guard let gone = places.removeValue(forKey: place) else { return }
        bytes -= gone.messages.values.reduce(0) { $0 + $1.payload.count }
        version += 1
        lastRemoval = version
        if place.kind == .gateway { ergsByBirth[place.gateway] = nil }
        if wall.remove(place) != nil, let next = ergsOffWall.min() { wall.insert(next) }
    }

    private mutating func put(_ message: Message, _ kind: Kind, of place: Place) -> Outcome {
        if places[place] == nil {
            let count = places.keys.count { $0.kind == place.kind }
            switch place.kind {
            case .gateway where count >= limits.gateways: return .refused(.tooManyGateways)
            case .erg where count >= limits.allErgs || ergs(of: place.gateway) >= limits.ergs:
                return .refused(.tooManyErgs)
            case .crew where count >= limits.crews: return .refused(.tooManyCrews)
            default: break
            }
        }
        let earlier = places[place]?.messages[kind]?.payload.count ?? 0
        let sum = bytes - earlier + message.payload.count
        guard sum <= limits.bytes else { return .refused(.tooManyBytes) }
        bytes = sum
        version += 1
        if places[place] == nil, place.kind == .erg { addToWall(place) }
        places[place, default: PlaceState()].messages[kind] = message
        places[place]?.changed = version
        return .applied
    }

    private func ergs(of gateway: GatewayID) -> Int {
        places.keys.count { $0.gateway == gateway && $0.kind == .erg }
    }

    /// Adds an erg to the wall of all gateways. If the wall is full, all readers get the new count of hidden
    /// ergs.
    private mutating func addToWall(_ erg: Place) {
        if wall.count < limits.ergs { wall.insert(erg) } else { lastRemoval = version }
    }

    /// Whether the wall of a gateway, or of all gateways for nil, shows a place; or the page of one erg.
    func isShown(_ place: Place, in scope: Scope) -> Bool {
        if let erg = scope.erg {
            return place.gateway == scope.gateway && (place.kind == .gateway || place.erg == erg)
        }
        if let gateway = scope.gateway { return place.gateway == gateway }
        return place.kind != .erg || scope.hasAllErgs || wall.contains(place)
    }

    /// Removes a cleared retained message, and the place with its last message.
    ///
    /// - Parameter removesPlace: Whether the place is also removed with its last retained message. Messages
    ///   that are not retained, such as strokes, are never cleared.
    private mutating func clear(
        _ kind: Kind, of place: Place, removesPlace: Bool = false
    ) -> Outcome {
        guard let message = places[place]?.messages.removeValue(forKey: kind) else { return .ignored }
        bytes -= message.payload.count
        version += 1
        places[place]?.changed = version
        if place.kind == .gateway, kind == .birth { ergsByBirth[place.gateway] = nil }
        let rest = places[place]?.messages.keys.filter { !removesPlace || $0.isRetained } ?? []
        if rest.isEmpty { drop(place) }
        return .applied
    }

    /// The ergs that the wall of all gateways does not show.
    var ergsOffWall: some Collection<Place> {
        places.keys.filter { $0.kind == .erg && !wall.contains($0) }
    }

    /// Returns the message's own time; nil unless both clocks are synchronized.
    private static func instant(of object: JSONObject, _ clock: WallClock) -> BootInstant? {
        guard clock.isSynchronized, object.text("clock") == "synced",
            let milliseconds = object.number("ts_ms").map(Int64.init)
        else { return nil }
        let sinceBoot = milliseconds - clock.unixMillisecondsAtBoot
        // Rejects invented times: no synchronized clock is wrong by a century.
        guard abs(sinceBoot) < 100 * 365 * 86_400_000 else { return nil }
        return BootInstant(nanoseconds: 0).advanced(by: .milliseconds(sinceBoot))
    }

    /// Adds a new personal best. Drops the oldest one if there are too many.
    mutating func add(best payload: [UInt8], of gateway: GatewayID?, at now: BootInstant) {
        version += 1
        bests.removeAll { $0.since.duration(to: now) >= Self.bestDisplayTime }
        if bests.count >= Self.maximumBests { bests.removeFirst() }
        bests.append(Best(gateway: gateway, payload: payload, since: now, changed: version))
    }

    // MARK: The broker

    /// The subscription is active, and the broker starts to send its retained messages.
    mutating func subscribed(at now: BootInstant) {
        subscription += 1
        version += 1
        broker = Broker(isConnected: true, since: now, changed: version)
    }

    mutating func lostBroker(at now: BootInstant) {
        guard broker.isConnected else { return }
        version += 1
        broker = Broker(since: now, changed: version)
    }

    /// Removes retained messages that the broker did not deliver again under the current subscription.
    mutating func removeUnconfirmed() {
        for (place, state) in places {
            let gone = state.messages.filter { kind, message in
                kind.isRetained && message.subscription < subscription
            }
            for kind in gone.keys { _ = clear(kind, of: place) }
        }
    }
}

/// JSON on one line, as an event stream needs it: a line break would end the event's data.
enum SingleLineJSON {
    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Whether the JSON has no line break.
    static func isSingleLine(_ json: [UInt8]) -> Bool { !json.contains(where: isBreak) }

    /// Returns the JSON on one line. A JSON string contains no bare line break, so its meaning stays the
    /// same.
    static func joined(_ json: [UInt8]) -> [UInt8] {
        json.map { isBreak($0) ? UInt8(ascii: " ") : $0 }
    }
}

extension LiveBoard {
    /// The kinds of messages on the board, named by the last level of their topics, in the order of the
    /// output.
    enum Kind: String, CaseIterable, Sendable {
        case availability
        case birth
        case health
        case clock
        case workouts
        case roster
        case relays
        case event
        case info
        case state
        case live
        case session
        case stroke
        case force
        case split
        case summary
        case lastSummary = "last_summary"
        case alert
        case alerts

        /// Whether the message is published as a retained message.
        var isRetained: Bool {
            switch self {
            case .availability, .birth, .health, .clock, .workouts, .roster, .relays, .info, .state,
                .lastSummary, .alerts:
                true
            case .event, .live, .session, .stroke, .force, .split, .summary, .alert: false
            }
        }

        /// Returns the place and the kind of a topic; nil if the board does not show it.
        static func resolve(_ topic: GatewayTopic, at gateway: GatewayID) -> (Place, Kind)? {
            var place = Place(gateway: gateway, erg: nil)
            switch topic {
            case .record(let stream): place.erg = stream.station
            case .retained(let topic): place.erg = topic.station
            case .live(let station): place.erg = station
            case .crewLive(let crew): place.crew = crew
            case .roomLive, .command, .reply: return nil
            }
            let level = topic.path.split(separator: "/").last.map(String.init)
            return level.flatMap(Kind.init).map { (place, $0) }
        }
    }
}

extension RetainedTopic {
    /// The station of the topic; nil for the gateway's own topics.
    fileprivate var station: StationID? {
        switch self {
        case .availability, .birth, .health, .clock, .workouts, .roster, .relays: nil
        case .stationAvailability(let station), .info(let station), .state(let station),
            .lastSummary(let station), .marks(let station):
            station
        case .alerts(let station), .homeAssistant(let station): station
        }
    }
}
