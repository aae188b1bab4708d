import Bytes
import Contract
import HostRuntime

/// The erasures that gateways are still to make, one JSON object a line. The command adds to them while the
/// daemon settles them: each change locks the folder (`StateFile.changing`).
package struct ErrandFile: Sendable {
    /// Why the file is of no use.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Errands that are done and still told; the oldest make room.
    static let maximumDone = 256

    let path: String
    private var file: StateFile { StateFile(path: path, mode: 0o600) }

    package init(path: String) { self.path = path }

    /// Empty when there is no file yet. In the order in which they were wished.
    package func read() throws(Fault) -> [Errand] {
        let bytes: [UInt8]?
        do throws(StateFile.Failure) { bytes = try file.read() } catch {
            throw Fault(description: "\(error)")
        }
        var errands: [Errand] = []
        for (number, line) in TextLines.all(in: bytes ?? []).enumerated() where !line.isEmpty {
            let fields = (try? JSONObject(parsing: Array(line))).flatMap(\.self)
            guard let errand = fields.flatMap(Errand.init(kept:)) else {
                throw Fault(
                    description: "\(path):\(number + 1): not a line that rowgate-logbook wrote")
            }
            errands.append(errand)
        }
        return errands
    }

    /// An athlete is to be forgotten at each of `gateways`; what waits there already stays as it is.
    package func add(_ athlete: String, at gateways: [GatewayID], now: Int64) throws(Fault) {
        try change { errands in
            let known = errands.filter { $0.athlete == athlete }.map(\.gateway)
            errands += gateways.filter { !known.contains($0) }
                .map { Errand(athlete, at: $0, madeAt: now) }
        }
    }

    /// A gateway has answered.
    package func settle(
        _ athlete: String, at gateway: GatewayID, _ state: Errand.State, now: Int64
    ) throws(Fault) {
        try change { errands in
            for index in errands.indices
            where errands[index].gateway == gateway && errands[index].athlete == athlete {
                errands[index].settle(state, at: now)
            }
        }
    }

    private func change(_ edit: (inout [Errand]) -> Void) throws(Fault) {
        try file.changing { Fault(description: "\($0)") } _: { () throws(Fault) in
            try changeAlone(edit)
        }
    }

    private func changeAlone(_ edit: (inout [Errand]) -> Void) throws(Fault) {
        var errands = try read()
        edit(&errands)
        let done = errands.count { $0.athlete == nil }
        var surplus = max(0, done - Self.maximumDone)
        errands.removeAll { errand in
            guard errand.athlete == nil, surplus > 0 else { return false }
            surplus -= 1
            return true
        }
        let lines = errands.flatMap { JSONWriter.object($0.write) + [UInt8(ascii: "\n")] }
        do throws(StateFile.Failure) { try file.replaceForService(with: lines) } catch {
            throw Fault(description: "\(error)")
        }
    }
}
