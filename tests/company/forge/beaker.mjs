// Works on the forge at argv[2] with @gitbeaker/rest and prints what it saw as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(process.argv[3] + '/'));
const { Gitlab } = require('@gitbeaker/rest');

const api = new Gitlab({ host: process.argv[2], token: 'root-token' });
const me = await api.Users.showCurrentUser();
const group = await api.Groups.create('Club', 'club');
const project = await api.Projects.create({ name: 'beaker', namespaceId: group.id, initializeWithReadme: true });
await api.Branches.create(project.id, 'topic', 'main');
await api.Commits.create(project.id, 'topic', 'Add a', [{ action: 'create', filePath: 'a.txt', content: 'hello' }]);
const file = await api.RepositoryFiles.show(project.id, 'a.txt', 'topic');
const request = await api.MergeRequests.create(project.id, 'topic', 'main', 'Add a', { labels: 'one,two' });
await api.MergeRequestNotes.create(project.id, request.iid, 'Looks fine');
const diffs = await api.MergeRequests.allDiffs(project.id, request.iid);
const merged = await api.MergeRequests.merge(project.id, request.iid);
const issue = await api.Issues.create(project.id, 'Broken', { labels: 'bug' });
await api.Issues.edit(project.id, issue.iid, { stateEvent: 'close' });
const closed = await api.Issues.all({ projectId: project.id, state: 'closed' });
for (let number = 0; number < 5; number++) await api.Issues.create(project.id, `More ${number}`);
const everything = await api.Issues.all({ projectId: project.id, perPage: 2 });
await api.ProjectWikis.create(project.id, 'hello', 'Home');
const release = await api.ProjectReleases.create(project.id, { tagName: 'v1', ref: 'main', description: 'd', name: 'One' });
const tree = await api.Repositories.allRepositoryTrees(project.id);
let missing = null;
try {
  await api.Projects.show('no/such');
} catch (error) {
  missing = error.cause?.response?.status;
}
console.log(JSON.stringify({
  me: me.username, path: project.path_with_namespace, content: Buffer.from(file.content, 'base64').toString(), labels: request.labels,
  state: merged.state, diffs: diffs.map((one) => one.new_path), closed: closed.map((one) => one.title), count: everything.length,
  release: release.tag_name, tree: tree.map((one) => one.name).sort(), missing,
}));
