import Bytes

/// How hard somebody rows, by a share of the mean power of their best 2000 m.
package enum PowerZone: String, CaseIterable, Sendable {
    /// Below all that has a name: paddling.
    case below
    /// Utilisation 2 and 1, by what the body makes of oxygen: what can be kept up for hours, for an hour.
    case ut2, ut1
    /// About the anaerobic threshold.
    case at
    /// Oxygen transport: what a 2000 m asks for.
    case tr
    /// Anaerobic.
    case an
    /// Above what a 2000 m asks for.
    case above

    /// Where it ends, in percent; nil for the last. It begins where the one before it ends.
    ///
    /// Rule of thumb of British and Irish rowing's training guides, as rowing programs use it.
    package var upperPercent: Int? {
        switch self {
        case .below: 55
        case .ut2: 65
        case .ut1: 75
        case .at: 85
        case .tr: 95
        case .an: 105
        case .above: nil
        }
    }
}

/// Zones that the time of a session's strokes is told by.
package protocol TrainingZones: Equatable, Sendable {
    /// How the time in them comes about.
    static var timeFormula: String { get }
    /// Hundredths of a second of a session in each zone, in their order.
    ///
    /// - Parameters:
    ///   - power: how long its strokes had which watts.
    ///   - heart: how long the heart had which rate.
    func time(power: StrokeTime, heart: StrokeTime) -> [Int64]
    /// Where each zone but the last ends: the first whole number of the next.
    var bounds: [Int] { get }
}

extension TrainingZones {
    /// Each zone with where it begins and ends, in members of these names.
    func writeBounds(into json: inout JSONWriter, from: StaticString, to: StaticString) {
        json.list("bounds", of: zip(PowerZone.allCases, 0...bounds.count)) { json, element in
            let (zone, index) = element
            json.field("zone", zone.rawValue)
            json.field(from, index > 0 ? bounds[index - 1] : 0)
            if index < bounds.count { json.field(to, bounds[index]) }
        }
    }
}
