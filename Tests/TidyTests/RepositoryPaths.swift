import Foundation

/// Finds paths that lead out of the repository: a user's clone has nothing beside it.
enum RepositoryPaths {
    /// Returns a violation for each path in `text` that climbs above the root of the repository.
    ///
    /// - Parameter path: of the file, from the root; its depth limits the parent steps of a path.
    static func violations(path: String, text: String) -> [String] {
        let depth = path.split(separator: "/").count - 1
        let names = text.components(separatedBy: "\n").enumerated().filter { $1.contains(developersFolder) }
        return names.map { "\(path):\($0.offset + 1): names a folder beside the project" }
            + climbs(path, depth, text)
    }

    /// The start of a path in the folder beside the project that developers may have.
    private static let developersFolder = "\"shared" + "/"

    private static func climbs(_ path: String, _ depth: Int, _ text: String) -> [String] {
        var text = text
        if text.contains("deletingLastPathComponent") {
            // A chain of calls may go on in the next line.
            text.replace(/\n\s*(?=\.deletingLastPathComponent)/, with: "")
        }
        let lines = text.components(separatedBy: "\n").enumerated()
        return lines.filter { $1.contains("..") || $1.contains("LastPathComponent") }.flatMap { index, line in
            climbs(in: line).filter { $0 > depth }.map {
                "\(path):\(index + 1): climbs \($0) folders, and the file is \(depth) deep"
            }
        }
    }

    /// How many folders each relative path of a line climbs. `deletingLastPathComponent()` of a file's own path,
    /// several times or in a loop, removes the file's name first.
    private static func climbs(in line: String) -> [Int] {
        let relative = line.matches(of: /(?:\.\.\/)*\.\.(?=[\/"'\s)]|$)/).map {
            $0.output.components(separatedBy: "..").count - 1
        }
        let loops = line.matches(of: /in 0\.\.<(\d+) *\{[^}]*\.deleteLastPathComponent/)
            .compactMap { Int($0.output.1) }
        let removed =
            loops.max() ?? line.components(separatedBy: ".deletingLastPathComponent()").count - 1
        let isHostile = line.contains("etc/passwd") || line.contains("readlink")
        guard !isHostile else { return [] }
        // Both in one line: the file's name, then the folders.
        if removed > 0, let climb = relative.max() { return [removed - 1 + climb] }
        return relative + (removed > 0 ? [removed - 1] : [])
    }

    /// Every text file that git would keep in these folders.
    static func files() throws -> [(path: String, text: String)] {
        let folders = ["Sources", "Tests", "packaging", "config", "systemd", ".ci", ".github"]
        let root = SourceTree.root
        return try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(
                atPath: root.appendingPathComponent(folder).path
            )
            .map { "\(folder)/\($0)" }
            .filter { !$0.contains("/.build") && !$0.contains("__pycache__") }
        }
        .sorted().compactMap { path in
            guard let data = FileManager.default.contents(atPath: root.path + "/" + path),
                let text = String(data: data, encoding: .utf8)
            else { return nil }
            return (path, text)
        }
    }
}
