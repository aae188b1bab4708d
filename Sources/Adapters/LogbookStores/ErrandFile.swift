import Bytes
import Contract
import Glibc
import HostRuntime

/// The errands on disk, one JSON object a line: the command adds to them while the program settles them,
/// so that whoever changes the file holds a lock on its folder.
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
        let folder = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        mkdir(folder, 0o750)
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else {
            throw Fault(description: "cannot open \(folder): \(String(cString: strerror(errno)))")
        }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else {
            throw Fault(description: "cannot lock \(folder): \(String(cString: strerror(errno)))")
        }
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
