import Bests
import Contract
import LogbookStores
import Plans
import Timeline
import TrainingFiles
import WebServer

/// What stands behind the question mark, read strictly: nothing is ignored, and nothing is guessed.
struct AskedParameters {
    /// Elements of a list that one answer has at most, and without being asked.
    static let limits = 1...1000
    static let usualLimit = 100

    private var values: [Endpoint.Parameter: String] = [:]
    private let calendar: ClubCalendar

    /// Throws for one that the endpoint does not know, and for one that comes twice.
    ///
    /// - Parameter calendar: of the club, whose days are asked for.
    init(
        _ query: [WebParameter], of endpoint: Endpoint, in calendar: ClubCalendar
    ) throws(InterfaceFault) {
        self.calendar = calendar
        for asked in query {
            guard let parameter = Endpoint.Parameter(rawValue: asked.name),
                endpoint.parameters.contains(parameter)
            else {
                let names = endpoint.parameters.map(\.rawValue).joined(separator: ", ")
                throw InterfaceFault(
                    400, "unknown_parameter",
                    "there is no parameter \"\(asked.name.prefix(40))\" here; there "
                        + (names.isEmpty ? "are none" : "are \(names)"))
            }
            guard values.updateValue(asked.value, forKey: parameter) == nil else {
                throw Self.fault(parameter, "is there twice; name it once")
            }
        }
    }

    // MARK: Lists

    func limit() throws(InterfaceFault) -> Int {
        guard let text = values[.limit] else { return Self.usualLimit }
        guard let limit = Int(text), String(limit) == text, Self.limits.contains(limit) else {
            throw wrong(
                .limit, "a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        return limit
    }

    /// Where the list goes on; nil for its beginning.
    func mark<Mark: PageMark>(_ type: Mark.Type) throws(InterfaceFault) -> Mark? {
        guard let text = values[.cursor] else { return nil }
        guard let mark = Mark(cursor: text) else {
            throw wrong(.cursor, "what \"next\" of the page before says, of the same list")
        }
        return mark
    }

    func sessionFilter() throws(InterfaceFault) -> SessionFilter {
        var filter = SessionFilter(limit: try limit())
        filter.gateway = try gateway()
        filter.station = try value(.erg, Self.slug, StationID.init)
        filter.athlete = try athlete()
        filter.states = try word(.state, SessionState.self).map { [$0] }
        filter.after = try mark(SessionMark.self)
        let day = "a day, as 2026-09-05"
        let (from, to) = (
            try value(.from, day, CalendarDay.init), try value(.to, day, CalendarDay.init)
        )
        if from != nil || to != nil { filter.times = calendar.instants(from: from, to: to) }
        return filter
    }

    /// nil for all of them.
    func gateway() throws(InterfaceFault) -> GatewayID? {
        try value(.gateway, Self.slug, GatewayID.init)
    }

    // MARK: Athletes

    func athlete() throws(InterfaceFault) -> String? {
        try value(.athlete, AthleteID.rule) { AthleteID.isValid($0) ? $0 : nil }
    }

    /// Into what time is divided.
    func length() throws(InterfaceFault) -> TrainingSpan.Length {
        try word(.length, TrainingSpan.Length.self) ?? .week
    }

    /// nil for all of them.
    func season() throws(InterfaceFault) -> Season? {
        try value(.season, "the year in which it ends, as 2027") { text in
            Int64(text).flatMap { String($0) == text && (1...9999).contains($0) ? $0 : nil }
        }
        .map { Season(year: $0) }
    }

    // MARK: Files

    func format() throws(InterfaceFault) -> SessionFileFormat {
        if let format = try word(.format, SessionFileFormat.self) { return format }
        let formats = SessionFileFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Self.fault(.format, "is missing; it is one of \(formats)")
    }

    /// Of a file that may hold more than one session.
    func formatOfSeveral() throws(InterfaceFault) -> SessionFileFormat {
        let format = try format()
        guard format.holdsSeveral else {
            throw Self.fault(.format, "is of one session; ask for the export of each")
        }
        return format
    }

    func planFormat() throws(InterfaceFault) -> PlanFormat {
        if let format = try word(.format, PlanFormat.self) { return format }
        let formats = PlanFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Self.fault(.format, "is missing; it is one of \(formats)")
    }

    /// Of which records a table is.
    func tableKind() throws(InterfaceFault) -> StreamKind {
        let kinds = StreamKind.ofStation.map(\.topicName).joined(separator: ", ")
        let kind = try value(.kind, "one of \(kinds)") { name in
            StreamKind(topicName: name).flatMap { $0.isOfGatewayAlone ? nil : $0 }
        }
        return kind ?? .stroke
    }

    // MARK: One value

    private static let slug = "1 to 32 of a-z, 0-9 and -"

    private func word<Word: RawRepresentable & CaseIterable>(
        _ parameter: Endpoint.Parameter, _ type: Word.Type
    ) throws(InterfaceFault) -> Word? where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(parameter, "one of \(words)") { Word(rawValue: $0) }
    }

    /// - Parameter allowed: what it may be, as a sentence ends.
    private func value<Value>(
        _ parameter: Endpoint.Parameter, _ allowed: String, _ read: (String) -> Value?
    ) throws(InterfaceFault) -> Value? {
        guard let text = values[parameter] else { return nil }
        guard let value = read(text) else { throw wrong(parameter, allowed) }
        return value
    }

    private func wrong(_ parameter: Endpoint.Parameter, _ allowed: String) -> InterfaceFault {
        Self.fault(
            parameter, "is \"\((values[parameter] ?? "").prefix(40))\"; it has to be \(allowed)")
    }

    private static func fault(_ parameter: Endpoint.Parameter, _ words: String) -> InterfaceFault {
        InterfaceFault(400, "bad_parameter", "the parameter \(parameter.rawValue) \(words)")
    }
}
