import Glibc
import HostRuntime
import Settings
import Timeline

/// The command `rowgate-logbook token`: creates, lists and removes access tokens.
package struct TokenManager {
    private let configurationPath: String

    package init(configurationPath: String) { self.configurationPath = configurationPath }

    /// Creates a token and prints only the token to standard output. Returns the exit status.
    ///
    /// - Parameter athlete: The athlete whose records the token can read, for the role `athlete`.
    package func add(_ name: String, role: Role, athlete: String?) -> Int32 {
        change { configuration, holders throws(TokenFile.Fault) in
            guard TokenHolder.isValidName(name) else {
                throw .init(
                    description: "a name consists of 1 to 32 characters of a-z, 0-9 and -, not \"\(name)\"")
            }
            guard !holders.contains(where: { $0.name == name }) else {
                throw .init(
                    description: "\(name) has a token already; remove it with rowgate-logbook token remove "
                        + "\(name)")
            }
            guard holders.count < TokenFile.maximumHolders else {
                throw .init(
                    description: "there are \(holders.count) tokens; remove an unused one first")
            }
            let runtime = SystemRuntime()
            let token = Token(by: runtime)
            holders.append(
                TokenHolder(
                    name: name, role: role, athlete: athlete, digest: token.digest,
                    createdMilliseconds: runtime.unixMilliseconds()))
            return {
                let page = configuration.pageAddress
                LogbookLaunch.printLine(
                    "token for \(name) (\(Self.label(role, athlete))), shown only once; sign in with it at "
                        + "\(page)sign-in, or open \(page)sign-in#\(token.printed)")
                LogbookLaunch.printLine(token.printed, to: STDOUT_FILENO)
            }
        }
    }

    /// Removes a token. The next request with it is refused.
    package func remove(_ name: String) -> Int32 {
        change { _, holders throws(TokenFile.Fault) in
            guard let index = holders.firstIndex(where: { $0.name == name }) else {
                let names = holders.map(\.name).joined(separator: ", ")
                throw .init(
                    description: "there is no token for \(name); there are tokens for: "
                        + (names.isEmpty ? "none" : names))
            }
            holders.remove(at: index)
            return { LogbookLaunch.printLine("removed the token of \(name)") }
        }
    }

    /// Removes the tokens of an athlete.
    package static func remove(of athlete: String, from configuration: LogbookConfiguration) throws {
        let file = TokenFile(path: configuration.tokensFile)
        guard try file.read().contains(where: { $0.athlete == athlete }) else { return }
        try file.change { holders in holders.removeAll { $0.athlete == athlete } }
    }

    /// Prints a line for each token: name, role, day.
    package func list() -> Int32 {
        run { file, configuration throws(TokenFile.Fault) in
            for holder in try file.read() {
                let day = configuration.club.calendar.day(of: holder.createdMilliseconds).text
                LogbookLaunch.printLine(
                    "\(holder.name)  \(Self.label(holder.role, holder.athlete))  since \(day)",
                    to: STDOUT_FILENO)
            }
        }
    }

    private static func label(_ role: Role, _ athlete: String?) -> String {
        role.rawValue + (athlete.map { " \($0)" } ?? "")
    }

    /// Edits the tokens file, then calls the closure that `edit` returns.
    private func change(
        _ edit: (LogbookConfiguration, inout [TokenHolder]) throws(TokenFile.Fault) -> () -> Void
    ) -> Int32 {
        run { file, configuration throws(TokenFile.Fault) in
            let report = try file.change { holders throws(TokenFile.Fault) in
                try edit(configuration, &holders)
            }
            report()
        }
    }

    private func run(
        _ body: (TokenFile, LogbookConfiguration) throws(TokenFile.Fault) -> Void
    ) -> Int32 {
        do throws(InvalidConfiguration) {
            let (configuration, problems) = try LogbookConfiguration.read(from: configurationPath)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            do throws(TokenFile.Fault) {
                try body(TokenFile(path: configuration.tokensFile), configuration)
                return 0
            } catch {
                LogbookLaunch.printLine("rowgate-logbook: \(error)")
                return 1
            }
        } catch {
            LogbookLaunch.printLine("\(error)")
            return InvalidConfiguration.exitStatus
        }
    }
}
