/// Something that happened at an erg. A station hands them on in the order in which they happened.
package enum SessionEvent: Equatable, Sendable {
    case session(SessionEdge)
    case stroke(Stroke)
    case force(ForceCurve)
    case split(Split)
    case summary(Summary)
    case gap(Gap)
    /// The retained state changed.
    case state(StationState)
}
