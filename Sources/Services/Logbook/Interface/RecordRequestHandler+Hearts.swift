import Bytes
import Contract
import LogbookStores
import Training
import WebServer

/// The resting and maximal heart rate of an athlete, which define the heart rate zones.
extension RecordRequestHandler {
    /// Stores `{"resting_bpm", "maximal_bpm"}` of an athlete with sessions; `{}` removes them. Returns
    /// the zones.
    func updateHeartLimits(
        _ body: [UInt8], of name: String, by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let slug = try Self.athlete(name, RecordAccessPolicy(identity))
        let (now, clock) = room.currentTime
        let limits: HeartLimits?
        do throws(CommandFault) {
            limits = try Self.limits(body, at: clock.unixMilliseconds(at: now))
        } catch { throw InterfaceFault(error) }
        return writer.answer { store in
            guard try HeartLimitsRepository.save(limits, of: slug, in: store) else {
                throw Self.unknownAthlete(slug)
            }
            return Self.json { json in
                json.result("heart_zones", HeartZones.of(limits)) { $0.write(into: &$1) }
            }
        }
    }

    private static func limits(
        _ body: [UInt8], at now: Int64
    ) throws(CommandFault) -> HeartLimits? {
        var fields = CommandFields(try CommandFields.object(body))
        let resting = try fields.integer("resting_bpm", in: HeartLimits.restingRange)
        let maximal = try fields.integer("maximal_bpm", in: HeartLimits.maximalRange)
        try fields.finish()
        guard let resting else {
            if maximal != nil { throw fields.missing("resting_bpm") }
            return nil
        }
        guard let maximal else { throw fields.missing("maximal_bpm") }
        guard let limits = HeartLimits(resting: resting, maximal: maximal, givenAt: now) else {
            throw CommandFault(.badValue, HeartLimitsRepository.rangeMessage)
        }
        return limits
    }
}
