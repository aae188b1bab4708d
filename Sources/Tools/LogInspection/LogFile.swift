import Glibc
import RingLog

/// The daemon's ring file, opened for reading with or without a running daemon.
package struct LogFile {
    /// As given on the command line.
    package let path: String
    /// Open for reading; a daemon may be writing meanwhile.
    let device: FileBlockDevice
    let size: UInt64

    /// Throws for a file that cannot be read, or holds no ring that this program knows.
    package init(path: String) throws(LogFileProblem) {
        self.path = path
        do throws(RingLogError) {
            device = try FileBlockDevice.reading(path: path)
            size = try device.size()
            _ = try LogReader(device: device)
        } catch {
            throw LogFileProblem(error, path: path)
        }
    }
}

/// Why a ring file cannot be read, with the remedy.
package struct LogFileProblem: Error, Equatable, CustomStringConvertible {
    let error: RingLogError
    /// The group that may read the file or its folder; nil if unknown.
    let group: String?

    init(_ error: RingLogError, path: String) {
        self.error = error
        group = error.code == EACCES ? Self.group(of: path) : nil
    }

    init(_ error: RingLogError, group: String?) {
        self.error = error
        self.group = group
    }

    package var description: String {
        switch error.code {
        case EACCES:
            let others = group.map { ", or as a member of the group \($0)" } ?? ""
            return "\(error); read it with sudo\(others)"
        case EPROTONOSUPPORT:
            return "\(error); read it with the rowgatectl of that version"
        case ENOENT, ENOTSUP:
            return "\(error); --ring takes the path that [ring] in rowgate.toml names"
        default: return "\(error)"
        }
    }

    /// Of the file; of its folder when that hides the file.
    private static func group(of path: String) -> String? {
        var status = stat()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard stat(path, &status) == 0 || stat(folder, &status) == 0,
            // Root's own group is not joined; one becomes root.
            status.st_gid != 0, let entry = getgrgid(status.st_gid),
            let name = entry.pointee.gr_name
        else { return nil }
        return String(cString: name)
    }
}
