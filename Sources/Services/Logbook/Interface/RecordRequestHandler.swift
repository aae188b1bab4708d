import Bytes
import Contract
import LogbookStores
import People
import WebServer

/// Answers HTTP requests for stored data: sessions, records, athletes, gateways and plans.
///
/// Records have the form of an MQTT replay, which the contract's schema describes.
struct RecordRequestHandler: Sendable {
    /// The size in bytes at which a page ends, even below its limit of elements.
    static let pageBytes = 1 << 20

    /// Reads the store; nil without a store.
    let reader: StoreQueue?
    /// Writes answers to suggestions, heart rates and plans; nil without a store.
    let writer: StoreQueue?
    let room: LiveRoom
    /// Stores incoming records; nil without a store.
    let ingester: RecordIngester?
    let history: AthleteHistory
    let suggestionService: SuggestionService
    /// Sends accepted workouts to monitors; nil without a store.
    let workoutSender: SuggestedWorkoutSender?
    /// Reads merged athlete ids again after a merge; nil without a store.
    let directory: UserDirectory?
    /// Called with an athlete whose suggestion was answered, or whose sessions were corrected.
    let onAthleteChanged: @Sendable (String) -> Void

    init(
        reader: StoreQueue?, writer: StoreQueue?, room: LiveRoom, ingester: RecordIngester? = nil,
        history: AthleteHistory, workoutSender: SuggestedWorkoutSender? = nil,
        directory: UserDirectory? = nil,
        onAthleteChanged: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.reader, self.writer, self.room, self.ingester) = (reader, writer, room, ingester)
        (self.history, self.workoutSender, self.directory) = (history, workoutSender, directory)
        self.onAthleteChanged = onAthleteChanged
        suggestionService = SuggestionService(history: history)
    }

    /// The current health of the logbook.
    var health: LogbookHealth { LogbookHealth(room, ingester) }

    /// - Parameters:
    ///   - pathValues: the values of the path parameters, in order.
    ///   - policy: decides which records are visible.
    func answer(
        _ endpoint: Endpoint, _ pathValues: [String], _ parameters: QueryParameters,
        to policy: RecordAccessPolicy
    ) throws(InterfaceFault) -> WebAnswer {
        guard let reader else {
            // Live gateways are known without a store.
            if endpoint == .gateways { return Self.gateways(room, health) }
            throw Self.noStore
        }
        return reader.answer(try reading(endpoint, pathValues, parameters, policy))
    }

    static let noStore = InterfaceFault(
        404, "no_store",
        "this logbook stores no records; add path = \"...\" to [store] in its configuration")

    private typealias Reading = @Sendable (any LogbookStore) throws -> WebAnswer

    /// Checks all parameters and returns the query.
    private func reading(
        _ endpoint: Endpoint, _ pathValues: [String], _ parameters: QueryParameters,
        _ policy: RecordAccessPolicy
    ) throws(InterfaceFault) -> Reading {
        switch endpoint {
        case .gateways:
            return { [room, ingester] in
                try Self.gateways(room, LogbookHealth(room, ingester), in: $0)
            }
        case .streams:
            let (gateway, limit) = (try Self.gateway(pathValues[0]), try parameters.limit())
            let cursor = try parameters.cursor(StreamCursor.self)
            return { try Self.streams(of: gateway, after: cursor, limit, in: $0) }
        case .athletes:
            let (cursor, limit) = (
                try parameters.cursor(AthleteCursor.self), try parameters.limit()
            )
            return { try athletes(after: cursor, limit, policy, in: $0) }
        case .athlete:
            let slug = try Self.athlete(pathValues[0], policy)
            return { try athlete(slug, policy, in: $0) }
        case .groups: return { try Self.groups(in: $0) }
        case .merges: return { try merges(in: $0) }
        case .exportAthletes: return { try Self.exportAthletes(in: $0) }
        case .records: return { try records(in: $0) }
        case .club, .exportClub:
            let (season, group) = (try parameters.season(), try parameters.group())
            let isTable = endpoint == .exportClub
            return { try club(in: season, of: group, asTable: isTable, $0) }
        case .volume:
            let (slug, length) = (
                try Self.athlete(pathValues[0], policy), try parameters.spanLength()
            )
            let season = try parameters.season()
            return { try volume(of: slug, by: length, in: season, $0) }
        case .training:
            let (slug, length) = (
                try Self.athlete(pathValues[0], policy), try parameters.spanLength()
            )
            let season = try parameters.season()
            return { try training(of: slug, by: length, in: season, $0) }
        case .suggestions:
            let slug = try Self.athlete(pathValues[0], policy)
            return { try suggestions(to: slug, in: $0) }
        case .plans: return { try plans(policy, in: $0) }
        case .plan: return { try plan(pathValues[0], policy, in: $0) }
        case .exportPlan:
            let format = try parameters.planFormat()
            return { try planFile(pathValues[0], as: format, policy, in: $0) }
        case .adherence:
            let slug = try parameters.athlete()
            return { try adherence(to: pathValues[0], of: slug, policy, in: $0) }
        case .athletePlans:
            let slug = try Self.athlete(pathValues[0], policy)
            return { try plans(of: slug, policy, in: $0) }
        case .sessionTraining:
            let name = try Self.session(pathValues)
            return { try training(of: name, policy, in: $0) }
        case .sessions:
            var filter = try parameters.sessionFilter()
            filter.athlete = try policy.athlete(requested: filter.athlete)
            return { [filter] in try Self.sessions(filter, in: $0) }
        case .session:
            let name = try Self.session(pathValues)
            return { try Self.session(name, policy, in: $0) }
        case .pieces:
            let (cursor, limit) = (try parameters.cursor(PieceCursor.self), try parameters.limit())
            let (filter, group) = (try parameters.sessionConditions(), try parameters.group())
            let workout = try parameters.workout()
            let athlete = try policy.athlete(requested: filter.athlete)
            return {
                try pieces(filter, of: athlete, in: group, workout, after: cursor, limit, policy, in: $0)
            }
        case .piece:
            let name = try Self.session(pathValues)
            return { try groupResult(of: name, policy, in: $0) }
        case .exportPiece:
            let (name, format) = (try Self.session(pathValues), try parameters.pieceFormat())
            return { try pieceFile(of: name, as: format, policy, in: $0) }
        case .export:
            let name = try Self.session(pathValues)
            let (format, kind) = (try parameters.format(), try parameters.tableKind())
            return { try file(of: name, as: format, table: kind, policy, in: $0) }
        case .exportSessions:
            var filter = try parameters.sessionFilter()
            filter.athlete = try policy.athlete(requested: filter.athlete)
            let (format, kind) = (try parameters.multiSessionFormat(), try parameters.tableKind())
            return { [filter] in
                try file(of: filter, as: format, table: kind, policy, in: $0)
            }
        default:
            guard let kind = endpoint.recordKind else {
                preconditionFailure("\(endpoint) has no records")
            }
            let (name, limit) = (try Self.session(pathValues), try parameters.limit())
            let cursor = try parameters.cursor(RecordCursor.self)
            return { store in
                let session = try Self.storedSession(name, policy, in: store)
                let page = try Self.records(of: kind, in: session, after: cursor, limit, policy, store)
                return Self.json { page.write(into: &$0) }
            }
        }
    }

    // MARK: Names

    private static func gateway(_ text: String) throws(InterfaceFault) -> GatewayID {
        guard let gateway = GatewayID(text) else { throw unknownGateway(text) }
        return gateway
    }

    static func athlete(_ text: String, _ policy: RecordAccessPolicy) throws(InterfaceFault)
        -> String
    {
        guard AthleteID.isValid(text) else { throw unknownAthlete(text) }
        return try policy.authorizedAthlete(text)
    }

    static func unknownGateway(_ name: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_gateway",
            "unknown gateway \"\(name.prefix(40))\"; /api/v1/gateways lists all gateways"
        )
    }

    static func session(_ pathValues: [String]) throws(InterfaceFault) -> SessionName {
        SessionName(gateway: try gateway(pathValues[0]), session: pathValues[1])
    }

    /// Returns the session if it is visible. Throws "unknown session" otherwise.
    static func storedSession(
        _ name: SessionName, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> StoredSession {
        if let found = try store.session(name), policy.allows(found) { return found }
        throw unknownSession(name)
    }

    static func unknownSession(_ name: SessionName) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_session",
            "\(name.gateway) has no session \"\(name.session.prefix(40))\"; /api/v1/sessions lists "
                + "all sessions")
    }

    // MARK: Lists

    /// One page of a list, and the cursor of the next page.
    struct Page {
        let name: StaticString
        /// Elements as JSON.
        var elements: [[UInt8]] = []
        var next: String?

        /// Creates a page of at most `limit` elements and about `pageBytes`. If the list continues, `found`
        /// has one more element. Skips elements for which `write` returns nil.
        init<Element, Cursor: PageCursor>(
            _ name: StaticString, of found: [Element], _ limit: Int, cursor: (Element) -> Cursor,
            _ write: (Element) -> [UInt8]?
        ) {
            self.name = name
            var bytes = 0
            for (index, element) in found.enumerated() {
                guard index < limit, bytes < RecordRequestHandler.pageBytes else {
                    next = cursor(found[index - 1]).encoded
                    return
                }
                guard let written = write(element) else { continue }
                bytes += written.count
                elements.append(written)
            }
        }

        func write(into json: inout JSONWriter) {
            json.key(name)
            json.beginArray()
            for element in elements { json.value(json: element) }
            json.endArray()
            json.field("next", next)
        }
    }

    private static func sessions(
        _ filter: SessionFilter, in store: any LogbookStore
    ) throws -> WebAnswer {
        var wanted = filter
        wanted.limit += 1
        let page = Page("sessions", of: try store.sessions(wanted), filter.limit) {
            SessionCursor(firstAt: $0.firstAt, name: $0.name)
        } _: {
            JSONWriter.object($0.write)
        }
        return json { page.write(into: &$0) }
    }

    private func athletes(
        after cursor: AthleteCursor?, _ limit: Int, _ policy: RecordAccessPolicy,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        let found: [ClubAthlete]
        if let own = policy.athlete {
            let isAfterCursor = cursor.map { own > $0.slug } ?? true
            let athlete = try PeopleRepository.athlete(own, in: store)
            found = isAfterCursor ? [athlete].compactMap(\.self) : []
        } else {
            found = try PeopleRepository.athletes(after: cursor?.slug, limit: limit + 1, in: store)
        }
        let page = Page("athletes", of: found, limit) {
            AthleteCursor(slug: $0.id)
        } _: { athlete in
            JSONWriter.object { athlete.write(into: &$0, withNote: policy.athlete == nil) }
        }
        return Self.json { page.write(into: &$0) }
    }

    private static func records(
        of kind: StreamKind, in session: StoredSession, after cursor: RecordCursor?, _ limit: Int,
        _ policy: RecordAccessPolicy, _ store: any LogbookStore
    ) throws -> Page {
        let found = try store.records(of: kind, in: session.name, after: cursor, limit: limit + 1)
        return Page("records", of: found, limit) {
            $0.mark
        } _: {
            policy.allows($0.stored, of: session) ? published($0.stored) : nil
        }
    }

    /// Returns a record in the form of a replay; an empty object if the stored bytes are damaged.
    private static func published(_ stored: [UInt8]) -> [UInt8] {
        guard stored.last == UInt8(ascii: "}") else { return Array("{}".utf8) }
        return RecordEncoder.published(stored, historical: true)
    }

    // MARK: One session

    private static func session(
        _ name: SessionName, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        let session = try storedSession(name, policy, in: store)
        let summary = try store.records(of: .summary, in: name).last { policy.allows($0, of: session) }
        let manifest = try store.records(of: .manifest, in: name).last
        let corrections = try store.corrections(of: name)
        let limit = QueryParameters.defaultLimit
        let splits = try records(of: .split, in: session, after: nil, limit, policy, store)
        let gaps = try records(of: .gap, in: session, after: nil, limit, policy, store)
        return json { json in
            json.object("session", session.write)
            if policy.athlete == nil, !corrections.isEmpty {
                json.list("corrections", of: corrections) { json, correction in
                    json.field("at_ms", correction.at)
                    json.field("by", correction.by)
                    json.field("former_athlete_id", correction.former)
                    json.field("athlete_id", correction.new)
                }
            }
            for (key, record) in [("summary" as StaticString, summary), ("manifest", manifest)] {
                guard let record else { continue }
                json.key(key)
                json.value(json: published(record))
            }
            json.object("splits", splits.write)
            json.object("gaps", gaps.write)
        }
    }

    static func json(_ members: (inout JSONWriter) -> Void) -> WebAnswer {
        .content(type: "application/json", JSONWriter.object(members))
    }
}

extension Endpoint {
    /// The kind of records of the endpoint; nil if it has none.
    fileprivate var recordKind: StreamKind? {
        switch self {
        case .strokes: .stroke
        case .forces: .force
        case .splits: .split
        case .gaps: .gap
        case .rollups: .rollup
        case .alerts: .alert
        default: nil
        }
    }
}

/// An error response of the HTTP interface.
struct InterfaceFault: Error, Equatable {
    var status: UInt32
    /// The code for programs.
    var code: String
    /// The error and its remedy, for users.
    var message: String

    init(_ status: UInt32, _ code: String, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    /// A fault in the fields of a request.
    init(_ fault: CommandFault) { self.init(400, fault.code.rawValue, fault.message) }

    var answer: WebAnswer {
        .failure(
            status: status, code: code, message: message,
            headers: status == 503 ? [WebAnswer.retryAfter(60)] : [])
    }
}
