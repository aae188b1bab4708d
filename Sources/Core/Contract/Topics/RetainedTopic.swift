/// A topic whose last message the broker keeps for whoever subscribes later.
package enum RetainedTopic: Hashable, Sendable {
    case availability
    case birth
    case health
    case clock
    /// Those that have a name.
    case workouts
    case stationAvailability(StationID)
    case info(StationID)
    case state(StationID)
    case lastSummary(StationID)
    case marks(StationID)
    /// What fires now, at the gateway itself where there is no erg.
    case alerts(StationID?)
    /// Home Assistant's, outside of our own topics: of an erg, or of the gateway itself.
    case homeAssistant(StationID?)

    /// Our own topics about one erg, or about the gateway itself.
    package static func all(of station: StationID?) -> [RetainedTopic] {
        guard let station else {
            return [.availability, .birth, .health, .clock, .workouts, .alerts(nil)]
        }
        return [
            .stationAvailability(station), .info(station), .state(station), .lastSummary(station),
            .marks(station), .alerts(station),
        ]
    }

    /// Whom it is about, nil for the gateway, and the last level of the topic.
    var place: (station: StationID?, level: String) {
        switch self {
        case .availability: (nil, "availability")
        case .birth: (nil, "birth")
        case .health: (nil, "health")
        case .clock: (nil, "clock")
        case .workouts: (nil, "workouts")
        case .stationAvailability(let station): (station, "availability")
        case .info(let station): (station, "info")
        case .state(let station): (station, "state")
        case .lastSummary(let station): (station, "last_summary")
        case .marks(let station): (station, "marks")
        case .alerts(let station): (station, "alerts")
        case .homeAssistant(let station): (station, "config")
        }
    }

    /// Availability is plain text.
    package var isJSON: Bool {
        switch self {
        case .availability, .stationAvailability: false
        default: true
        }
    }

    /// How often health is published at least.
    package static let healthPeriodSeconds: UInt32 = 30

    /// When the broker forgets the message; nil for never. Health that is not renewed, three times in
    /// a row, is no health.
    package var expirySeconds: UInt32? { self == .health ? 3 * Self.healthPeriodSeconds : nil }
}
