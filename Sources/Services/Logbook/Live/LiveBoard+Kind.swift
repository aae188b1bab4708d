import Contract

extension LiveBoard {
    /// The kinds of messages on the board, named by the last level of their topics, in the order of the
    /// output.
    enum Kind: String, CaseIterable, Sendable {
        case availability
        case birth
        case health
        case clock
        case workouts
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
            case .availability, .birth, .health, .clock, .workouts, .info, .state, .lastSummary,
                .alerts:
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
        case .availability, .birth, .health, .clock, .workouts: nil
        case .stationAvailability(let station), .info(let station), .state(let station),
            .lastSummary(let station), .marks(let station):
            station
        case .alerts(let station), .homeAssistant(let station): station
        }
    }
}
